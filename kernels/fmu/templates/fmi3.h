/* The functions that FMI 3.0 alone has, or has in another form. Included by fmu.c. */

static Status fail(Component *c, const char *text)
{
    if (c->log) c->log(c->environment, ERROR, "logStatusError", text);
    return ERROR;
}

static void *instantiate(const char *token, void *environment, Log log)
{
    Component *c = NULL;
    if (token && !strcmp(token, TOKEN)) c = (Component *)calloc(1, sizeof *c);
    if (!c) {
        if (log) log(environment, ERROR, "logStatusError", "the instantiation token is another, or there is no memory");
        return NULL;
    }
    begin(&c->d);
    c->log = log;
    c->environment = environment;
    return c;
}

EXPORT void *NAMED(InstantiateModelExchange)(const char *name, const char *token, const char *resources, Boolean visible,
                                             Boolean logging, void *environment, Log log)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    return instantiate(token, environment, log);
}
EXPORT void *NAMED(InstantiateCoSimulation)(const char *name, const char *token, const char *resources, Boolean visible,
                                            Boolean logging, Boolean events, Boolean early, const Reference r[],
                                            size_t n, void *environment, Log log, Update update)
{
    (void)name, (void)resources, (void)visible, (void)logging;
    (void)events, (void)early, (void)r, (void)n, (void)update;
    return instantiate(token, environment, log);
}
EXPORT void *NAMED(InstantiateScheduledExecution)(const char *name, const char *token, const char *resources,
                                                  Boolean visible, Boolean logging, void *environment, Log log,
                                                  ClockUpdate update, Lock lock, Unlock unlock)
{
    (void)name, (void)token, (void)resources, (void)visible, (void)logging;
    (void)update, (void)lock, (void)unlock;
    if (log) log(environment, ERROR, "logStatusError", "there is no scheduled execution");
    return NULL;
}

EXPORT Status NAMED(EnterInitializationMode)(void *i, Boolean has, double tolerance, double t, Boolean stops, double stop)
{
    (void)stops, (void)stop;
    begin_at(i, has, tolerance, t);
    return OK;
}

NOTHING(EnterConfigurationMode)
NOTHING(ExitConfigurationMode)
NOTHING(EvaluateDiscreteStates)
NOTHING(EnterStepMode)

EXPORT Status NAMED(GetFloat64)(void *i, const Reference r[], size_t n, double value[], size_t m)
{
    return n == m ? get_all(i, r, n, value) : fail(i, "there are not as many values as value references");
}
EXPORT Status NAMED(SetFloat64)(void *i, const Reference r[], size_t n, const double value[], size_t m)
{
    return n == m ? set_all(i, r, n, value) : fail(i, "there are not as many values as value references");
}

#define NO_VARIABLES(type, item) \
    EXPORT Status NAMED(Get##type)(void *i, const Reference r[], size_t n, item value[], size_t m) \
    { \
        (void)r, (void)value, (void)m; \
        return n ? fail(i, "there is no variable of this type") : OK; \
    } \
    EXPORT Status NAMED(Set##type)(void *i, const Reference r[], size_t n, item const value[], size_t m) \
    { \
        (void)r, (void)value, (void)m; \
        return n ? fail(i, "there is no variable of this type") : OK; \
    }
NO_VARIABLES(Float32, float)
NO_VARIABLES(Int8, int8_t)
NO_VARIABLES(UInt8, uint8_t)
NO_VARIABLES(Int16, int16_t)
NO_VARIABLES(UInt16, uint16_t)
NO_VARIABLES(Int32, int32_t)
NO_VARIABLES(UInt32, uint32_t)
NO_VARIABLES(Int64, int64_t)
NO_VARIABLES(UInt64, uint64_t)
NO_VARIABLES(Boolean, bool)
NO_VARIABLES(String, const char *)

EXPORT Status NAMED(GetBinary)(void *i, const Reference r[], size_t n, size_t sizes[], const uint8_t *value[], size_t m)
{
    (void)r, (void)sizes, (void)value, (void)m;
    return n ? fail(i, "there is no variable of this type") : OK;
}
EXPORT Status NAMED(SetBinary)(void *i, const Reference r[], size_t n, const size_t sizes[],
                               const uint8_t *const value[], size_t m)
{
    (void)r, (void)sizes, (void)value, (void)m;
    return n ? fail(i, "there is no variable of this type") : OK;
}

#define NO_CLOCK(name, ...) \
    EXPORT Status NAMED(name)(void *i, const Reference r[], size_t n, __VA_ARGS__) \
    { \
        (void)r, (void)a; \
        return n ? fail(i, "there is no clock") : OK; \
    }
#define NO_CLOCK_2(name, ...) \
    EXPORT Status NAMED(name)(void *i, const Reference r[], size_t n, __VA_ARGS__) \
    { \
        (void)r, (void)a, (void)b; \
        return n ? fail(i, "there is no clock") : OK; \
    }
NO_CLOCK(GetClock, bool a[])
NO_CLOCK(SetClock, const bool a[])
NO_CLOCK(GetShiftDecimal, double a[])
NO_CLOCK(SetShiftDecimal, const double a[])
NO_CLOCK(SetIntervalDecimal, const double a[])
NO_CLOCK_2(GetIntervalDecimal, double a[], Qualifier b[])
NO_CLOCK_2(GetShiftFraction, uint64_t a[], uint64_t b[])
NO_CLOCK_2(SetShiftFraction, const uint64_t a[], const uint64_t b[])
NO_CLOCK_2(SetIntervalFraction, const uint64_t a[], const uint64_t b[])

EXPORT Status NAMED(GetIntervalFraction)(void *i, const Reference r[], size_t n, uint64_t a[], uint64_t b[],
                                         Qualifier q[])
{
    (void)r, (void)a, (void)b, (void)q;
    return n ? fail(i, "there is no clock") : OK;
}

EXPORT Status NAMED(GetNumberOfVariableDependencies)(void *i, Reference r, size_t *n)
{
    (void)r, (void)n;
    return fail(i, "dependencies do not change");
}
EXPORT Status NAMED(GetVariableDependencies)(void *i, Reference r, size_t of[], Reference on[], size_t at[], Kind kind[],
                                             size_t n)
{
    (void)r, (void)of, (void)on, (void)at, (void)kind, (void)n;
    return fail(i, "dependencies do not change");
}

EXPORT Status NAMED(GetFMUState)(void *i, void **state) { return copy_state(i, &COMPONENT->d, state); }
EXPORT Status NAMED(SetFMUState)(void *i, void *state)
{
    memcpy(&COMPONENT->d, state, sizeof(Data));
    return OK;
}
EXPORT Status NAMED(FreeFMUState)(void *i, void **state)
{
    (void)i;
    return free_state(state);
}
EXPORT Status NAMED(SerializedFMUStateSize)(void *i, void *state, size_t *n)
{
    (void)i, (void)state;
    *n = sizeof(Data);
    return OK;
}
EXPORT Status NAMED(SerializeFMUState)(void *i, void *state, uint8_t bytes[], size_t n)
{
    return serialize(i, state, (char *)bytes, n);
}
EXPORT Status NAMED(DeserializeFMUState)(void *i, const uint8_t bytes[], size_t n, void **state)
{
    return n == sizeof(Data) ? copy_state(i, bytes, state) : fail(i, "the bytes are no state of this FMU");
}

EXPORT Status NAMED(GetDirectionalDerivative)(void *i, const Reference unknown[], size_t m, const Reference known[],
                                              size_t n, const double seed[], size_t seeds, double change[],
                                              size_t changes)
{
    if (seeds != n || changes != m) return fail(i, "there are not as many values as value references");
    return differentiate(&COMPONENT->d, unknown, m, known, n, seed, change) ? OK : fail(i, "there is no such derivative");
}
EXPORT Status NAMED(GetAdjointDerivative)(void *i, const Reference unknown[], size_t m, const Reference known[], size_t n,
                                          const double seed[], size_t seeds, double change[], size_t changes)
{
    (void)unknown, (void)m, (void)known, (void)n, (void)seed, (void)seeds, (void)change, (void)changes;
    return fail(i, "there are no adjoint derivatives");
}

EXPORT Status NAMED(GetContinuousStateDerivatives)(void *i, double dx[], size_t n) { return derivatives(i, dx, n); }

EXPORT Status NAMED(GetNumberOfContinuousStates)(void *i, size_t *n)
{
    (void)i;
    *n = NX;
    return OK;
}
EXPORT Status NAMED(GetNumberOfEventIndicators)(void *i, size_t *n)
{
    (void)i;
    *n = 0;
    return OK;
}

EXPORT Status NAMED(UpdateDiscreteStates)(void *i, Boolean *again, Boolean *stop, Boolean *nominals, Boolean *states,
                                          Boolean *defined, double *next)
{
    *again = *stop = *nominals = *defined = false;
    *next = 0;
    *states = is_off(&COMPONENT->d);
    return !*states || project(&COMPONENT->d) ? OK : fail(i, "the constraints do not close near this state");
}
EXPORT Status NAMED(CompletedIntegratorStep)(void *i, Boolean keep, Boolean *event, Boolean *stop)
{
    (void)keep;
    *stop = false;
    *event = is_off(&COMPONENT->d);
    return OK;
}

EXPORT Status NAMED(GetOutputDerivatives)(void *i, const Reference r[], size_t n, const int32_t order[], double value[],
                                          size_t m)
{
    (void)r, (void)n, (void)order, (void)value, (void)m;
    return fail(i, "outputs have no derivatives");
}

EXPORT Status NAMED(DoStep)(void *i, double t, double h, Boolean keep, Boolean *event, Boolean *stop, Boolean *early,
                            double *last)
{
    (void)keep;
    *event = *stop = *early = false;
    const Status status = step(i, t, h);
    *last = COMPONENT->d.t;
    return status;
}

EXPORT Status NAMED(ActivateModelPartition)(void *i, Reference r, double t)
{
    (void)r, (void)t;
    return fail(i, "there is no scheduled execution");
}
