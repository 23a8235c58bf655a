/*
 * effort: how many random programs and scenes a test makes. Under sanitizers each takes ten times
 * as long, so only a sixth of them are made; the same test without sanitizers makes all.
 */
#ifndef HOTGRAPH_TESTS_EFFORT_H
#define HOTGRAPH_TESTS_EFFORT_H

#ifndef __has_feature
#define __has_feature(name) 0
#endif

#if defined __SANITIZE_ADDRESS__ || __has_feature(address_sanitizer)
#define EFFORT(n) (((n) + 5) / 6)
#else
#define EFFORT(n) (n)
#endif

#endif
