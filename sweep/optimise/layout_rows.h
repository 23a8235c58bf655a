/* layout_rows: rows of programs and their layouts. Private to optimise. */
#ifndef HOTGRAPH_OPTIMISE_LAYOUT_ROWS_H
#define HOTGRAPH_OPTIMISE_LAYOUT_ROWS_H

#include "db/db.h"
#include "optimise/measure.h"
#include "optimise/profiles.h"

/* Of a program; ends with its id. */
struct program_name {
    char key[33], hash[33]; /* of everything that determines the program's rows; of its file */
    int64_t id;
};
enum status program_name(struct program_name *out, const struct config_game *game,
                         const struct tools *tools, struct error *e);

enum status program_put(struct db *db, const struct program_name *name,
                        const struct config_game *game, const struct tools *tools,
                        const struct qemu_result *base, int64_t run_id, struct error *e);
struct layout_row {
    const struct layout *layout;
    const struct layout_profile *profile; /* NULL: none */
    const struct measured *measured;
    struct bolt_run bolt;
    uint64_t lines;
};
enum status layout_put(struct db *db, const struct program_name *name, const struct layout_row *row,
                       int64_t run_id, struct error *e);
/* Marks the layouts that the database has, and those that this program does not need. */
enum status layouts_mark(struct layouts *l, struct db *db, const struct config_game *game,
                         const struct program_name *name, struct error *e);

#endif
