/*
 * The folder by which `hotgraph native` and the program it runs communicate, named in the
 * environment variable HOTPROBE_SESSION.
 *
 *   options   written by the command, a line "key value" each:
 *
 *     kind entries|blocks|instructions, threshold N, functions GLOB, without BITS,
 *     assign local|greedy|exact, trap 1, unproven 1, libraries 1, atomic 1, per-thread 1,
 *     preload VALUE (LD_PRELOAD as it was)
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
 *   error     instead of all others: why the program was not run
 *
 * The program maps counters and hot, so they are complete however it ends.
 */
#ifndef HOTGRAPH_NATIVE_SESSION_H
#define HOTGRAPH_NATIVE_SESSION_H

#define HOTPROBE_SESSION "HOTPROBE_SESSION"

#endif
