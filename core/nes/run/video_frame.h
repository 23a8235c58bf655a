/* video_frame: the frame that is being run. Private to core/nes. */
#ifndef HOTGRAPH_VIDEO_FRAME_H
#define HOTGRAPH_VIDEO_FRAME_H

#include "base/base.h"

/* Cycles from a vertical blank to a moment before the next one, and to a moment after its
 * pre-render line. */
enum { LESS_THAN_FRAME = 29000, MORE_THAN_BLANK = 2400 };

/* All saved. */
struct video_frame {
    uint64_t number;
    uint64_t end; /* cycle of the vertical blank; if `estimated`, a cycle before it at which the PPU
                     knows it */
    bool estimated;
};

#endif
