/*
 * adapt: replay --adapt TECHNIQUE. A technique watches the first seconds of a replay; then it
 * detaches, and the translator translates what is hot by its graph again, along the likeliest paths.
 *
 *     struct adaptation a;
 *     adaptation_choose(&a, argc, argv);
 *     count += adaptation_rows(&a, options + count);
 *     ... options_parse() ...
 *     if (!adaptation_chosen(&a, "replay"))
 *         return 2;
 *     adaptation_begin(&a, p, e);             // before the first frame
 *     adaptation_after_frame(&a, p, e);       // after each
 *     adaptation_end(&a);
 */
#ifndef HOTGRAPH_COMMANDS_ADAPT_H
#define HOTGRAPH_COMMANDS_ADAPT_H

#include "commands/profile/parameters.h"
#include "commands/profile/sampling_rows.h"
#include "play/play.h"
#include "profile/structure/structure.h"

enum { ADAPTATION_ROWS = 2 + TECHNIQUE_PARAMETERS + SAMPLING_ROWS };

struct adaptation {
    struct technique_choice choice; /* its technique is NULL: --adapt is not given */
    struct sampling_choice sampling;
    uint64_t after_ms; /* of emulated time */
    bool after_given;
    /* While it watches, one of these is not NULL: */
    void *self;        /* of a technique that watches by itself */
    struct live *live; /* of one on samples */
    struct structure structure;
    uint64_t until; /* cycle at which it has seen enough */
    struct likely_paths likely;
    bool adapted;
};

void adaptation_choose(struct adaptation *a, int argc, char **argv);
/* Fills the options: --adapt, --adapt-after, and with a technique its own. Returns their number. */
size_t adaptation_rows(struct adaptation *a, struct option_spec rows[ADAPTATION_ROWS]);
/* Is there a technique on samples, which has options of its own? */
bool adaptation_samples(const struct adaptation *a);
/* Checks the combination. False: it is wrong, and an error was printed. */
bool adaptation_chosen(struct adaptation *a, const char *command);
enum status adaptation_begin(struct adaptation *a, struct play *p, struct error *e);
enum status adaptation_after_frame(struct adaptation *a, struct play *p, struct error *e);
/* Safe after a failure; call it while the machine is there. */
void adaptation_end(struct adaptation *a);
/* Frees what translated code may still refer to: call it when the machine is freed. */
void adaptation_free(struct adaptation *a);

#endif
