/*
 * observe: what the machine's loops need to know about its observers. None of it is saved. Private
 * to core/nes. The observers themselves are in observe/watch.h.
 */
#ifndef HOTGRAPH_OBSERVE_H
#define HOTGRAPH_OBSERVE_H

#include "nes/probe.h"

struct record;
struct watch;

struct observed {
    struct watch *watch;
    bool watched;            /* some observer instruments, or steps now */
    bool stepping;           /* some observer steps or records now */
    struct record *recorder; /* the sole active recorder, if nothing else is observed; else NULL */
    struct record *coming;   /* the sole observer's recorder, if the next alarm only starts it */
    struct follow_request
        *follow;         /* of the sole observer that waits for anything, if it is the next alarm
                            and no probe calls; else NULL */
    uint64_t later_stop; /* the engine's stop, ignoring the alarm of `coming` and `follow` */
    uint64_t switched;   /* cycle at which a context began or resumed last */
    bool announced;      /* callbacks before the next instruction were already made */
    bool attention;      /* a callback has changed alarms or stepping: the fast loop must return */
    uint64_t alarm;      /* the earliest; NEVER: none */
    uint64_t *counters;  /* of the probes */
    uint64_t fired[NES_OBSERVERS];
};

#endif
