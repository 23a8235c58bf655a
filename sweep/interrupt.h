/*
 * interrupt: a first SIGINT, SIGTERM or SIGHUP asks the program to stop at the next good moment, so
 * that nothing half-written stays behind; a second one ends it at once.
 */
#ifndef HOTGRAPH_INTERRUPT_H
#define HOTGRAPH_INTERRUPT_H

/* From now on signals are caught. */
void interrupt_catch(void);
/* The signal that asked to stop, 0 if none did. */
int interrupt_signal(void);

#endif
