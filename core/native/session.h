/*
 * A program that `hotgraph native` runs, and what it leaves behind: a folder, named in the
 * environment variable HOTPROBE_SESSION, that both know.
 *
 *   options   written by the command, a line "key value" each:
 *
 *     kind entries|blocks|instructions, threshold N, functions GLOB, without BITS,
 *     assign local|greedy|exact, trap 1, unproven 1, libraries 1, atomic 1, per-thread 1,
 *     preload VALUE (LD_PRELOAD as it was)
 *
 *   objects   written by the library, a path a line
 *
 *   sites     a line for each site: object, address in the file, is it counted in `threads`,
 *     counter's offset, strategy, reason, unproven, function's address in the file, function's name
 *     or "-"; numbers, in decimal
 *
 *   counters  64-bit words, at those offsets; counted up from minus the threshold
 *
 *   threads   blocks of HOTPROBE_THREAD_SLOTS such words, one or more threads' counts each: the sum
 *     over blocks counts
 *
 *   hot       64-bit words: how many sites became hot, then which, in order
 *
 *   error     instead of all that, why not
 *
 * counters and hot are mapped by the program, so that they are whole however it ends.
 */
#ifndef HOTGRAPH_NATIVE_SESSION_H
#define HOTGRAPH_NATIVE_SESSION_H

#define HOTPROBE_SESSION "HOTPROBE_SESSION"

#endif
