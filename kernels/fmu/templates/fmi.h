/* The interface of FMI 2.0 and 3.0: what the standard prescribes of types and layouts, as far as an FMU needs it.
   These are declarations of our own; FMI_HEADERS takes those of the standard, so that a compiler compares the two. */

#ifndef EQUATIONS_FMI_H
#define EQUATIONS_FMI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A prefix is defined where several FMUs are linked into one program; by default names are the standard's. */
#ifndef FMI2_FUNCTION_PREFIX
#define FMI2_FUNCTION_PREFIX
#endif
#ifndef FMI3_FUNCTION_PREFIX
#define FMI3_FUNCTION_PREFIX
#endif
#define PASTE_(a, b) a##b
#define PASTE(a, b) PASTE_(a, b)

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define EXPORT __attribute__((visibility("default")))
#else
#define EXPORT
#endif

#define OK ((Status)0)
#define DISCARD ((Status)2)
#define ERROR ((Status)3)

#if FMI_VERSION == 3
#define NAMED(name) PASTE(FMI3_FUNCTION_PREFIX, fmi3##name)
#ifdef FMI_HEADERS
#include "fmi3Functions.h"
typedef fmi3Status Status;
typedef fmi3DependencyKind Kind;
typedef fmi3IntervalQualifier Qualifier;
typedef fmi3LogMessageCallback Log;
typedef fmi3IntermediateUpdateCallback Update;
typedef fmi3ClockUpdateCallback ClockUpdate;
typedef fmi3LockPreemptionCallback Lock;
typedef fmi3UnlockPreemptionCallback Unlock;
#else
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;
typedef enum { KIND_INDEPENDENT, KIND_CONSTANT, KIND_FIXED, KIND_TUNABLE, KIND_DISCRETE, KIND_DEPENDENT } Kind;
typedef enum { NOT_YET_KNOWN, UNCHANGED, CHANGED } Qualifier;
typedef void (*Log)(void *environment, Status status, const char *category, const char *message);
typedef void (*Update)(void *environment, double time, bool set, bool get, bool finished, bool may, bool *early,
                       double *at);
typedef void (*ClockUpdate)(void *environment);
typedef void (*Lock)(void);
typedef void (*Unlock)(void);
#endif
typedef uint32_t Reference;
typedef bool Boolean;
#else
#define NAMED(name) PASTE(FMI2_FUNCTION_PREFIX, fmi2##name)
#ifdef FMI_HEADERS
#include "fmi2Functions.h"
typedef fmi2Status Status;
typedef fmi2Type Type;
typedef fmi2StatusKind StatusKind;
typedef fmi2CallbackFunctions Callbacks;
typedef fmi2EventInfo EventInfo;
#else
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL, STATUS_PENDING } Status;
typedef enum { MODEL_EXCHANGE, CO_SIMULATION } Type;
typedef enum { DO_STEP, PENDING, LAST_TIME, TERMINATED } StatusKind;
typedef struct {
    void (*logger)(void *environment, const char *name, Status status, const char *category, const char *text, ...);
    void *(*allocateMemory)(size_t count, size_t size);
    void (*freeMemory)(void *memory);
    void (*stepFinished)(void *environment, Status status);
    void *componentEnvironment;
} Callbacks;
typedef struct {
    int newDiscreteStatesNeeded, terminateSimulation, nominalsOfContinuousStatesChanged;
    int valuesOfContinuousStatesChanged, nextEventTimeDefined;
    double nextEventTime;
} EventInfo;
#endif
typedef unsigned int Reference;
typedef int Boolean;
#endif

#endif
