/*
 * spin: dynamic idle-loop skipping: finds busy-waits of any shape by execution. Private to
 * core/nes.
 *
 * A spin is a run of instructions that brings the machine back to an earlier state: registers,
 * memory and pads are the same, and no other device was accessed except $2002, while its value is
 * constant. The same run must then repeat, whatever branches and calls it contains, until something
 * outside the processor happens. So whole runs are counted instead of executed. (wait.h finds
 * short, straight busy-waits statically.)
 *
 * A search costs the interpreted run and comparisons of memory. So the machine searches where
 * earlier searches paid off, and rarely elsewhere. The time of a search affects speed only.
 */
#ifndef HOTGRAPH_SPIN_H
#define HOTGRAPH_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct nes;

/* When to search; in cycles unless said otherwise. */
struct spins {
    uint64_t next;    /* earliest cycle of the next search */
    uint64_t end;     /* end of the last spin that paid off */
    uint64_t delay;   /* from there to the start of the next search */
    uint64_t longest; /* longest run to look for */
    uint64_t pause;   /* length of the next pause, made when the credit is used up */
    unsigned misses;  /* searches without success since the last spin that paid off */
    int64_t credit;   /* estimated net saving, in host instructions */
    unsigned depth;   /* suspended contexts at the last spin that paid off */
};

/* Resets this for a new machine or a loaded state. */
void spin_forget(struct nes *n);
/* Cycle of the next search; NEVER: none may be made now. */
uint64_t spin_next(const struct nes *n);
/* A busy-wait of wait.h was skipped for `cycles`: delays the next search, because a program that
 * waits like this in each frame has no other spins. */
void spin_waited(struct nes *n, uint64_t cycles);
/* Call at a boundary at or after spin_next(). Runs some instructions; if they are a spin, skips its
 * runs that begin and end before `stop` and the deadline. */
void spin_try(struct nes *n, uint64_t stop);

#endif
