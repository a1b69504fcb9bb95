/* The functions that FMI 2.0 alone has, or has in another form. Included by fmu.c. */

static Status fail(Component *c, const char *text)
{
    if (c->calls.logger) c->calls.logger(c->calls.componentEnvironment, c->name, ERROR, "logStatusError", "%s", text);
    return ERROR;
}

EXPORT const char *NAMED(GetTypesPlatform)(void) { return "default"; }

EXPORT void *NAMED(Instantiate)(const char *name, Type type, const char *token, const char *resources,
                                const Callbacks *calls, Boolean visible, Boolean logging)
{
    Component *c = NULL;
    (void)type, (void)resources, (void)visible, (void)logging;
    if (token && !strcmp(token, TOKEN)) c = (Component *)calloc(1, sizeof *c);
    if (!c) {
        if (calls && calls->logger)
            calls->logger(calls->componentEnvironment, name ? name : "", ERROR, "logStatusError", "%s",
                          "the guid is another, or there is no memory");
        return NULL;
    }
    begin(&c->d);
    if (calls) c->calls = *calls;
    if (name) strncpy(c->name, name, sizeof c->name - 1);
    return c;
}

EXPORT Status NAMED(SetupExperiment)(void *i, Boolean has, double tolerance, double t, Boolean stops, double stop)
{
    (void)stops, (void)stop;
    begin_at(i, has, tolerance, t);
    return OK;
}

NOTHING(EnterInitializationMode)

EXPORT Status NAMED(GetReal)(void *i, const Reference r[], size_t n, double value[]) { return get_all(i, r, n, value); }
EXPORT Status NAMED(SetReal)(void *i, const Reference r[], size_t n, const double value[])
{
    return set_all(i, r, n, value);
}

#define NO_VARIABLES(type, item) \
    EXPORT Status NAMED(Get##type)(void *i, const Reference r[], size_t n, item value[]) \
    { \
        (void)r, (void)value; \
        return n ? fail(i, "there is no variable of this type") : OK; \
    } \
    EXPORT Status NAMED(Set##type)(void *i, const Reference r[], size_t n, item const value[]) \
    { \
        (void)r, (void)value; \
        return n ? fail(i, "there is no variable of this type") : OK; \
    }
NO_VARIABLES(Integer, int)
NO_VARIABLES(Boolean, int)
NO_VARIABLES(String, const char *)

EXPORT Status NAMED(GetFMUstate)(void *i, void **state) { return copy_state(i, &COMPONENT->d, state); }
EXPORT Status NAMED(SetFMUstate)(void *i, void *state)
{
    memcpy(&COMPONENT->d, state, sizeof(Data));
    return OK;
}
EXPORT Status NAMED(FreeFMUstate)(void *i, void **state)
{
    (void)i;
    return free_state(state);
}
EXPORT Status NAMED(SerializedFMUstateSize)(void *i, void *state, size_t *n)
{
    (void)i, (void)state;
    *n = sizeof(Data);
    return OK;
}
EXPORT Status NAMED(SerializeFMUstate)(void *i, void *state, char bytes[], size_t n)
{
    return serialize(i, state, bytes, n);
}
EXPORT Status NAMED(DeSerializeFMUstate)(void *i, const char bytes[], size_t n, void **state)
{
    return n == sizeof(Data) ? copy_state(i, bytes, state) : fail(i, "the bytes are no state of this FMU");
}

EXPORT Status NAMED(GetDirectionalDerivative)(void *i, const Reference unknown[], size_t m, const Reference known[],
                                              size_t n, const double seed[], double change[])
{
    return differentiate(&COMPONENT->d, unknown, m, known, n, seed, change) ? OK : fail(i, "there is no such derivative");
}

EXPORT Status NAMED(GetDerivatives)(void *i, double dx[], size_t n) { return derivatives(i, dx, n); }

EXPORT Status NAMED(NewDiscreteStates)(void *i, EventInfo *info)
{
    memset(info, 0, sizeof *info);
    if (!is_off(&COMPONENT->d)) return OK;
    info->valuesOfContinuousStatesChanged = 1;
    return project(&COMPONENT->d) ? OK : fail(i, "the constraints do not close near this state");
}

EXPORT Status NAMED(CompletedIntegratorStep)(void *i, Boolean keep, Boolean *event, Boolean *stop)
{
    (void)keep;
    *stop = 0;
    *event = is_off(&COMPONENT->d);
    return OK;
}

EXPORT Status NAMED(SetRealInputDerivatives)(void *i, const Reference r[], size_t n, const int order[],
                                             const double value[])
{
    (void)r, (void)n, (void)order, (void)value;
    return fail(i, "inputs have no derivatives");
}
EXPORT Status NAMED(GetRealOutputDerivatives)(void *i, const Reference r[], size_t n, const int order[], double value[])
{
    (void)r, (void)n, (void)order, (void)value;
    return fail(i, "outputs have no derivatives");
}

EXPORT Status NAMED(DoStep)(void *i, double t, double h, Boolean keep)
{
    (void)keep;
    return step(i, t, h);
}
EXPORT Status NAMED(CancelStep)(void *i) { return fail(i, "steps are not asynchronous"); }
EXPORT Status NAMED(GetStatus)(void *i, const StatusKind kind, Status *value)
{
    (void)i, (void)kind;
    *value = OK;
    return DISCARD;
}
EXPORT Status NAMED(GetRealStatus)(void *i, const StatusKind kind, double *value)
{
    *value = COMPONENT->d.t;
    return kind == 2 ? OK : DISCARD; /* the last successful time */
}
#define NO_STATUS(type, item) \
    EXPORT Status NAMED(Get##type##Status)(void *i, const StatusKind kind, item *value) \
    { \
        (void)i, (void)kind, (void)value; \
        return DISCARD; \
    }
NO_STATUS(Integer, int)
NO_STATUS(Boolean, int)
NO_STATUS(String, const char *)
