/* SIGTRAP: leads threads from a trap to the stub; and SIGSEGV. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_TRAP_H
#define HOTGRAPH_NATIVE_TRAP_H

#include "base/base.h"

/* A thread has fetched an instruction at this address, from a page that is not executable. All signals are
 * blocked. False: the page is not the library's. */
typedef bool fetch_function(uintptr_t at);

struct hotprobe;
enum status trap_open(struct hotprobe *h, struct error *e);
void trap_close(struct hotprobe *h);
/* From now on SIGSEGV is the library's, too. */
void trap_fetches(fetch_function *fetched);

#endif
