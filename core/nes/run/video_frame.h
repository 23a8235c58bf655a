/* video_frame: the current frame. Private to core/nes. */
#ifndef HOTGRAPH_VIDEO_FRAME_H
#define HOTGRAPH_VIDEO_FRAME_H

#include "base/base.h"

/* In cycles: less than from one vertical blank to the next; more than from a vertical blank to the
 * end of the following pre-render line. */
enum { LESS_THAN_FRAME = 29000, MORE_THAN_BLANK = 2400 };

/* All saved. */
struct video_frame {
    uint64_t number;
    uint64_t end; /* cycle of the vertical blank; if `estimated`, an earlier cycle, at which the PPU
                     knows it */
    bool estimated;
};

#endif
