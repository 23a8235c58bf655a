/* Functions that shadow libc's. Private to core/native. */
#ifndef HOTGRAPH_NATIVE_INTERPOSE_H
#define HOTGRAPH_NATIVE_INTERPOSE_H

/* Finds libc's functions, so that nothing is looked for later. Call it when the session starts. */
void interpose_find(void);

#endif
