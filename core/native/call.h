/* How each call on a session begins and ends. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_CALL_H
#define HOTGRAPH_NATIVE_CALL_H

#include "native/session_state.h"

/* Takes the lock and checks whether there are other threads. session_end() must follow, even if
 * this fails. */
enum status session_begin(struct hotprobe *h, struct error *e);
void session_end(struct hotprobe *h);
void scratch_free(struct scratch *s);
/* Makes all increments atomic, also those of existing stubs. */
void locks_set(struct hotprobe *h);

#endif
