/* How a process whose graph is counted ends. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_ENDING_H
#define HOTGRAPH_NATIVE_ENDING_H

#include <signal.h>
#include <stdbool.h>

/* Call it when this thread, in other code, is about to end the process: notes whether all other threads
 * are in other code, too. Those that have been joined may need a moment to end. */
void ending_threads(void);
/* Call it once, with one thread: signals that end the process by their default action, as SIGTERM, will
 * be noted, if they find it in other code. */
void ending_watch(void);
/* Is the signal one of these? Then the program's sigaction() is ending_action(). */
bool ending_has(int number);
int ending_action(int number, const struct sigaction *act, struct sigaction *old);

#endif
