/*
 * doctor: what hotgraph finds on this machine: its own files, tools that commands start, the
 * processor, and whether the machine is quiet enough for timings.
 */
#ifndef HOTGRAPH_DOCTOR_H
#define HOTGRAPH_DOCTOR_H

#include <stdbool.h>

enum finding_state {
    FINDING_OK,
    FINDING_MISSING, /* some commands cannot work */
    FINDING_BROKEN,  /* `sweep`, the program's purpose, cannot work */
    FINDING_NOTE,    /* everything works, but the user should know */
};

struct finding {
    const char *group;   /* "tools" */
    const char *name;    /* "gnuplot" */
    const char *use;     /* what it is needed for */
    const char *package; /* Debian's package that brings it; NULL: none */
    enum finding_state state;
    char detail[512]; /* where it is, or what is wrong and the way out */
};

enum { FINDINGS_MOST = 64 };

/* Checks everything, in less than two seconds. Fills findings and returns how many there are. */
unsigned doctor_check(struct finding findings[FINDINGS_MOST]);

#endif
