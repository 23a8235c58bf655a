/*
 * effort: how many random programs and scenes a test makes. Under sanitizers each takes ten times
 * as long and is there for what the sanitizers see, so a third of them are made; the others are
 * made where the same test runs without.
 */
#ifndef HOTGRAPH_TESTS_EFFORT_H
#define HOTGRAPH_TESTS_EFFORT_H

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#define EFFORT(n) ((n) / 3)
#else
#define EFFORT(n) (n)
#endif

#endif
