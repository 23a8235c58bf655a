/*
 * spin: busy-waits of any shape are passed over. Private to core/nes.
 *
 * A spin is a run of instructions that leads the machine back to where it was: the same registers
 * and memory, pads that stand where they stood, nothing else touched but $2002 while it says the
 * same again and again. What comes next is the same run once more, whatever branches and calls are
 * in it, until something outside of the processor happens; so whole runs are counted instead of
 * being executed. (Those that a look at the code tells, short and straight ones, are wait.h's.)
 *
 * To find out costs the run itself, interpreted, and looking at memory: so it is tried where it was
 * worth it before, and seldom where it was not. When it is tried changes nothing but the time that
 * it takes.
 */
#ifndef HOTGRAPH_SPIN_H
#define HOTGRAPH_SPIN_H

#include <stdbool.h>
#include <stdint.h>

struct nes;

/* When to try. All in cycles but what is said. */
struct spins {
    uint64_t next;    /* not before this one */
    uint64_t end;     /* where the last one that was worth it ended */
    uint64_t delay;   /* that much later the next such begins */
    uint64_t longest; /* run that is waited for */
    uint64_t pause;   /* after more trying than it was worth */
    unsigned misses;  /* tries since then */
    int64_t credit;   /* what it was worth, less what it cost, in host instructions or so */
    unsigned depth;   /* interrupted threads */
};

/* Forgets them: a machine begins, or goes on somewhere else. */
void spin_forget(struct nes *n);
/* The next cycle in which to try, if one comes before something else happens; else NEVER. */
uint64_t spin_next(const struct nes *n);
/* A short busy-wait has just been passed over for so long: where there are such in each frame,
 * nothing else is looked for. */
void spin_waited(struct nes *n, uint64_t cycles);
/* The machine stands at a boundary in such a cycle, and may run on until `stop`. Runs some
 * instructions, and passes over the runs that begin and end before `stop` and the deadline. */
void spin_try(struct nes *n, uint64_t stop);

#endif
