/*
 * fuzz: what the fuzz targets share.
 *
 * Memory: the targets are linked so that allocations of the code under test come through here
 * (meson.build, --wrap), and a target reads each short input again and again, the first, the
 * second, ... allocation failing. What runs out of memory must say so and leave nothing behind.
 *
 *     for (unsigned nth = 1; size <= FUZZ_SHORT && fuzz_fail_allocation(nth); nth =
 * fuzz_later(nth)) { status = read(); if (!fuzz_allocation_failed()) break; // there are no more
 *         ...
 *     }
 *
 * A look at an input that costs much is taken at the first 200 of a process, so at all seeds
 * and at any single input, and then at one of 64:
 *
 *     if (fuzz_thorough())
 *         ...
 *
 * Files: what is read lies in files, as it does for users, in a folder of the process's own.
 */
#ifndef HOTGRAPH_TESTS_FUZZ_H
#define HOTGRAPH_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FUZZ_SHORT = 2048, FUZZ_MOST_ALLOCATIONS = 1000 };

/* Once for an input. */
bool fuzz_thorough(void);

/* From now on the nth allocation (from 1) fails, and no other. False, and none does, when nth is
 * more than FUZZ_MOST_ALLOCATIONS. */
bool fuzz_fail_allocation(unsigned nth);
/* Whether it has; from now on none fails. */
bool fuzz_allocation_failed(void);
/* The next to try: each of the first sixteen, then fewer and fewer. */
unsigned fuzz_later(unsigned nth);

/* Path of a file of that name, without slashes, in the scratch folder; valid until the next but
 * three calls. The folder is removed at the process's end. */
const char *fuzz_path(const char *name);
/* Writes a file there, and returns its path. */
const char *fuzz_file(const char *name, const void *data, size_t size);

#endif
