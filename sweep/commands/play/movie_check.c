/* hotgraph movie check: checks whether a movie plays its game or stands still. */
#include <stdio.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "commands/command.h"
#include "play/play.h"

struct check {
    struct play_options wish;
    struct activity activity;
    bool json, plays;
};

static const char details[] =
    GAME_DETAILS "By default the game's own movie is played.\n"
                 "\n"
                 "Twice a second it examines the game. The game is active if its picture differs\n"
                 "from the last eight examined pictures, and input matters: two copies run\n"
                 "ahead, one with directions and buttons held (except Start and Select), one\n"
                 "with nothing pressed, and their RAM ends up different. A paused game, a title\n"
                 "screen that waits and many menus are not active. The longest time between two\n"
                 "active moments is the longest standstill.\n"
                 "\n"
                 "The verdict is one of\n"
                 "  plays              active half of the time, never still for a quarter of it\n"
                 "  plays in part      none of the others\n"
                 "  stands still       active less than a tenth of the time\n"
                 "  too short to tell  the movie has less than ten seconds\n"
                 "The exit status is 0 for 'plays', 1 for the others.\n"
                 "\n"
                 "Example:\n"
                 "  hotgraph movie check game.nes --movie game.fm2\n";

static enum status after_frame(void *user, struct play *p, uint64_t frame, struct error *e) {
    (void)frame;
    struct check *c = user;
    return activity_look(&c->activity, p->nes, e);
}

static void print_result(const struct check *c, const struct play *p) {
    if (!c->json) {
        printf("%s, %s\n", p->files.rom,
               p->files.movie != NULL ? p->files.movie : "nothing pressed");
        activity_print(&c->activity, false);
        return;
    }
    printf("{\"rom\": ");
    print_json_string(p->files.rom);
    printf(", \"movie\": ");
    if (p->files.movie != NULL)
        print_json_string(p->files.movie);
    else
        printf("null");
    printf(",\n ");
    activity_print(&c->activity, true);
    printf("}\n");
}

static enum status check(void *command, struct play *p, struct error *e) {
    struct check *c = command;
    enum status status = activity_begin(&c->activity, p->cartridge, e);
    if (status == STATUS_OK)
        status = play_run(p, (struct play_hooks){.after = after_frame, .user = c}, e);
    if (status == STATUS_OK)
        print_result(c, p);
    c->plays = activity_verdict(&c->activity) == ACTIVITY_PLAYS;
    activity_end(&c->activity);
    return status;
}

int command_movie_check(int argc, char **argv) {
    struct check c = {0};
    const struct option_spec options[] = {
        {"json", NULL, "print JSON", OPTION_FLAG, .to = &c.json},
        {0},
    };
    const struct play_usage usage = {
        .command = "movie check",
        .summary = "Checks whether a movie plays its game: how much of the picture and of RAM "
                   "changes, whether input matters, and how long the game stands still.",
        .details = details,
        .options = options,
    };
    int exit_status;
    const char *game = play_parse(&usage, &c.wish, argc, argv, &exit_status);
    if (game == NULL)
        return exit_status;
    exit_status = play_command(game, &c.wish, check, &c);
    return exit_status == 0 && !c.plays ? EXIT_FAILURE : exit_status;
}
