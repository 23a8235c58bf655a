/* Plays a movie on a machine, frame by frame. */
#include "nes/movie.h"

enum status movie_play_frame(const struct movie *m, struct nes *nes, struct error *e) {
    struct movie_line line = movie_line_at(m, nes_frame(nes));
    if (line.command != 0)
        nes_reset(nes, line.command & MOVIE_HARD_RESET);
    nes_set_buttons(nes, 0, line.pads[0]);
    nes_set_buttons(nes, 1, line.pads[1]);
    enum status status = nes_run_frame(nes, e);
    uint32_t pc;
    uint64_t frame;
    if (status != STATUS_OK || !nes_jammed(nes, &pc, &frame) ||
        movie_resets_after(m, nes_frame(nes)))
        return status;
    return error_set(e, STATUS_GUEST,
                     "the program stopped for good in frame %llu: a JAM instruction at $%04X, and "
                     "no reset follows",
                     (unsigned long long)frame, (unsigned)pc);
}
