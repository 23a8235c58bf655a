/*
 * The folder by which `hotgraph native` and the program it runs communicate, named in the
 * environment variable HOTPROBE_SESSION.
 *
 *   options   written by the command, a line "key value" each:
 *
 *     kind entries|blocks|instructions|edges, threshold N, functions GLOB, without BITS,
 *     assign local|greedy|exact, trap 1, unproven 1, libraries 1, atomic 1, per-thread 1,
 *     late BYTES of text of libraries that are late (0: none), preload VALUE (LD_PRELOAD as it was)
 *
 *   objects   written by the library, a path a line
 *
 *   sites     a line for each site: object, address in the file, offset in each block of `threads`,
 *     offset in `counters` (0: none), strategy, reason, unproven, function's address in the file,
 *     function's name or "-"; numbers, in decimal. A count is the sum of both
 *
 *   counters  64-bit words, at those offsets; counted up from minus the threshold
 *
 *   threads   blocks of HOTPROBE_THREAD_SLOTS such words, one or more threads' counts each: the sum
 *     over blocks counts; there is no such file before the second thread, unless per-thread is 1
 *
 *   hot       64-bit words: the number of hot sites, then their numbers, in order
 *
 *   pieces    instead of sites and hot, with kind edges. For each object, first a line: address of the
 *     text, its end, its offset in the file, number of its last site in `pairs`, number of its pieces,
 *     number of its functions that count as other code, whether it is libc (0, 1)
 *     and, if it has none because it cannot be counted, the reason. Then a line for each of these
 *     functions: offset in the file, its end, name or "-". Then a line for each piece of its
 *     straight-line code, by address: offset in the file; offset of the target of the
 *     jump or call at its end, or 0; how it ends: n continues with the next piece, j jump,
 *     b conditional branch, c call, a indirect jump or call, or return, r return that leads behind
 *     calls only, l linkage stub: leads to other code, or at first to the target, w jump through a
 *     table, s stops the program, x system call, which may also end the program, return twice, or
 *     elsewhere, o return whose targets are not known;
 *     whether other code than the object's may enter it (0, 1); offset in `counters` of its count; the same
 *     of how often its branch was not taken, and how often it was taken; the former is, of a linkage stub, of the address that it led to
 *     last, 0 if that is other code (0: they follow from others, edges/edge_tree.h); number
 *     of its site in `pairs` (0: none; else that has its count); of a call the number of the piece,
 *     from 1, whose return leads behind it (0: see `pairs`); of an arm of a table the
 *     number of the piece that jumps to it, or 0; how many of these probes are traps;
 *     lengths of its instructions, a hexadecimal digit each; function's name or "-"
 *
 *     After all objects, parts of late ones (edges/edge_late.c), as they were first executed: "+", the number
 *     of the object, from 0, of the last site in `pairs`, and of the part's pieces, which follow; numbers of
 *     pieces in these lines are within the part. Or "-", the number of an object and the reason why it is
 *     other code after all
 *
 *   placement written by the command, if an earlier run's graph is given, of the program's file: a 64-bit
 *     word, the number of blocks; then these and edges, struct session_weight, each list by from and to
 *
 *   pairs     a page, of which some words are used (enum below); then cells, struct session_pair: for
 *     each SESSION_PAIRS_BANK sites a table, whose counts begin at minus SESSION_PAIRS_OFTEN, and the
 *     sites' own, by their numbers. A key has at most one in its table, and one of its own, whose
 *     counts are added up. Then for some sites a struct session_map, each followed by its counters
 *
 *   error     instead of all others: why the program was not run
 *
 * The program maps counters and hot, so they are complete however it ends.
 */
#ifndef HOTGRAPH_NATIVE_SESSION_H
#define HOTGRAPH_NATIVE_SESSION_H

#include <stdint.h>

#define HOTPROBE_SESSION "HOTPROBE_SESSION"

enum {
    SESSION_PAIRS_HEAD = 4096, /* bytes before the cells */
    SESSION_PAIRS_LOST = 1,    /* word: hits that found no cell */
    SESSION_PAIRS_THREADS = 2, /* word, enum below */
    SESSION_PAIRS_OWN = 3,     /* word: where the sites' own cells begin in the file */
    SESSION_PAIRS_MAPS = 4,    /* word: where the maps begin */
    SESSION_PAIRS_CELLS = 5,   /* word: cells of each table */
    SESSION_PAIRS_RAISED =
        6, /* word: signal that is to end the process, and found it in other code; 0: none */
    SESSION_PAIRS_LIBC = 7, /* word, enum below */
    SESSION_PAIRS_LATE =
        9, /* word: 1 if late code could not be counted, and that could not be written */
    SESSION_PAIRS_LEFT = 8, /* word: 1 if the process has become another program, by exec */
    SESSION_PAIRS_SHADOWS =
        16, /* words: for each function of the library that only jumps on to libc's, its
                                   address, and where it jumps to; 0: no more */
    SESSION_SHADOWS = 4, /* at most so many */
    SESSION_PAIRS_WORDS = SESSION_PAIRS_SHADOWS + 2 * SESSION_SHADOWS,
    SESSION_PAIRS_OFTEN = 256,
    SESSION_PAIRS_SITE = 47,      /* addresses of programs have 47 bits */
    SESSION_PAIRS_BANK = 1 << 17, /* sites of a table */
    SESSION_PAIRS_EACH = 2,       /* own cells of a site */
    SESSION_PAIRS_SITES = (1 << 20) - 1,
};
enum {
    SESSION_LIBC_EXACT,
    SESSION_LIBC_BEGUN,  /* fork() has begun: what was counted since is not in the files */
    SESSION_LIBC_FORKED, /* a child has counted in libc for a moment */
    SESSION_LIBC_OPEN, /* the process ended while a thread was in libc, or a signal had interrupted it */
    SESSION_LIBC_SEEN, /* the library's own calls of libc were counted */
};
enum {
    SESSION_THREADS_ONE,
    SESSION_THREADS_MORE, /* more; it is not known where they were when the process ended */
    SESSION_THREADS_WAIT, /* the others had ended, or waited in the kernel for other code */
    SESSION_THREADS_RUN,  /* one may have been in the program's own code */
    SESSION_THREADS_INSIDE, /* a signal's handler ended the process, and interrupted the program's code */
    SESSION_THREADS_UNSAFE /* increments could not be locked */
};
/* How often a site went to a target. Key: site % SESSION_PAIRS_BANK << SESSION_PAIRS_SITE, plus the
 * target's address; 0: an empty cell. */
struct session_pair {
    uint64_t key, count;
};
/* Of a site: `length` counters, one for each byte of text from address `low` on, as its target. */
struct session_map {
    uint64_t site, low, length;
};
/* Of a block: its first and last instruction; of an edge: the blocks where it starts and ends. Offsets in
 * the file. */
struct session_weight {
    uint64_t from, to, count;
};

#endif
