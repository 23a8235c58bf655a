/* mappers: all boards that this machine has, one file each. Private to core/nes. */
#ifndef HOTGRAPH_MAPPERS_H
#define HOTGRAPH_MAPPERS_H

#include "nes/board/board.h"

enum { KIB = 1024, SUBMAPPER_ANY = 0xFFFF };

extern const struct mapper_ops mapper_nrom;         /*  0 */
extern const struct mapper_ops mapper_mmc1;         /*  1 */
extern const struct mapper_ops mapper_uxrom;        /*  2 */
extern const struct mapper_ops mapper_cnrom;        /*  3 */
extern const struct mapper_ops mapper_mmc3;         /*  4 */
extern const struct mapper_ops mapper_axrom;        /*  7 */
extern const struct mapper_ops mapper_color_dreams; /* 11 */
extern const struct mapper_ops mapper_action53;     /* 28 */
extern const struct mapper_ops mapper_unrom512;     /* 30 */
extern const struct mapper_ops mapper_bnrom;        /* 34 */
extern const struct mapper_ops mapper_gxrom;        /* 66 */
extern const struct mapper_ops mapper_nina;         /* 79 */
extern const struct mapper_ops mapper_ntd8;         /* 113 */

#endif
