/* How a process whose graph is counted ends. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_ENDING_H
#define HOTGRAPH_NATIVE_ENDING_H

/* Call it when this thread, in other code, is about to end the process: notes whether all other threads
 * are in other code, too. Those that have been joined may need a moment to end. */
void ending_threads(void);

#endif
