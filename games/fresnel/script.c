/* The interpreter of the scripts in screens.s: a stream of tokens, each a number to push or a word
 * to carry out, in threads that take turns. Words are in words.c. */
#include "fresnel.h"

/* How often a thread may come to an empty stack in a step. */
#define BUILD_FUEL 28
#define FUEL       3

byte pop(void) {
    return stack[--depth];
}

void __fastcall__ push(byte n) {
    stack[depth++] = n;
}

void threads_clear(void) {
    static byte i;

    for (i = 0; i < THREADS; ++i) {
        threads[i].pc = 0;
        threads[i].start = 0;
    }
}

/* The first free thread runs from there. */
void __fastcall__ thread_begin(const byte *start) {
    static byte i;
    static struct thread *t;

    for (i = 0, t = threads; i < THREADS; ++i, ++t) {
        if (!t->start) {
            t->pc = start;
            t->start = start;
            t->rest = 0;
            t->top = 0;
            return;
        }
    }
}

/* All but the builder, thread 0, begin again. */
void threads_restart(void) {
    static byte i;
    static struct thread *t;

    for (i = 1, t = threads + 1; i < THREADS; ++i, ++t) {
        t->pc = t->start;
        t->rest = 0;
        t->top = 0;
    }
}

/* Runs a thread until it sleeps, ends or has used up its fuel. The builder pauses when the queue
 * has no room for a floor. Numbers do not survive a pause, so it comes only where there are none.
 */
static void thread_run(void) {
    static byte token;

    pc = base->pc;
    depth = 0;
    rest = 0;
    fuel = state == S_BUILD ? BUILD_FUEL : FUEL;
    do {
        token = *pc;
        ++pc;
        if (token < 0x80) {
            push(token);
        } else {
            words[token & 0x7F]();
        }
    } while (!rest && pc && (depth || (--fuel && vq_n < 24)));
    base->pc = pc;
    base->rest = rest;
}

/* In each step one thread has its turn, so a rest is a tenth of a second; the builder has all of
 * them as long as it builds. */
void threads_step(void) {
    static byte next;

    next = state == S_BUILD || next == THREADS - 1 ? 0 : next + 1;
    base = threads + next;
    if (!base->pc) {
        return;
    }
    if (base->rest) {
        --base->rest;
        return;
    }
    thread_run();
}
