/* ratio: 128-bit weights and their quotients. Private to core/graph. */
#ifndef HOTGRAPH_GRAPH_RATIO_H
#define HOTGRAPH_GRAPH_RATIO_H

#include <math.h>

typedef unsigned __int128 wide;

static inline double ratio(wide part, wide whole) {
    return whole == 0 ? NAN : (double)part / (double)whole;
}

#endif
