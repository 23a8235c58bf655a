/* Any bytes as a movie: refused with a sentence that names file and line, or playable, and the same
 * when written and read again. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "nes/movie.h"

enum { FRAMES = 4, LOOKED_AT = 300 };

/* A console whose program stops for good in its first frame, as bad dumps do, and its state at
 * power-on. */
static struct console {
    struct cartridge *cartridge;
    struct nes *nes;
    struct bytes start;
} console;

static void build_console(void) {
    static uint8_t image[16 + 0x8000 + 0x2000] = {'N', 'E', 'S', 0x1a, 2, 1};
    image[16] = 0x02;          /* JAM at $8000 */
    image[16 + 0x7ffd] = 0x80; /* reset */
    struct error e;
    if (cartridge_parse(&console.cartridge, image, sizeof image, "jam.nes", &e) != STATUS_OK ||
        nes_create(&console.nes, &(struct nes_options){.cartridge = console.cartridge}, &e) !=
            STATUS_OK ||
        nes_save(console.nes, &console.start, &e) != STATUS_OK)
        abort();
}

/* Frame by frame to the first that fails, which must be after the last reset. */
static void play(const struct movie *m) {
    struct error e = {0};
    if (console.nes == NULL)
        build_console();
    if (nes_load(console.nes, console.start.at, console.start.len, "start", &e) != STATUS_OK)
        abort();
    for (unsigned frame = 0; frame < FRAMES; frame++) {
        bool more = movie_resets_after(m, frame + 1);
        enum status status = movie_play_frame(m, console.nes, &e);
        if (status != (more ? STATUS_OK : STATUS_GUEST))
            abort();
    }
    if (movie_matches(m, console.cartridge, &e) != STATUS_OK && !m->has_checksum)
        abort();
}

static void check_lines(const struct movie *m) {
    uint64_t resets = 0;
    for (size_t i = 0; i < m->reset_count; i++)
        if (m->resets[i] >= m->line_count || (i > 0 && m->resets[i] <= m->resets[i - 1]))
            abort();
    if (movie_frames(m) > m->line_count + 1)
        abort();
    for (size_t i = 0; i <= m->line_count && i < LOOKED_AT; i++) {
        struct movie_line line = movie_line_at(m, i);
        if ((line.command & ~(MOVIE_SOFT_RESET | MOVIE_HARD_RESET)) != 0)
            abort();
        resets += line.command != 0;
    }
    if (resets > m->reset_count)
        abort();
}

static void write_and_read(const struct movie *m) {
    const char *path = fuzz_path("again.fm2");
    struct movie again;
    struct error e = {0};
    if (movie_write(m, path, &e) != STATUS_OK || movie_load(&again, path, &e) != STATUS_OK)
        abort();
    if (again.line_count != m->line_count || again.reset_count != m->reset_count ||
        again.has_checksum != m->has_checksum ||
        memcmp(again.checksum, m->checksum, sizeof m->checksum) != 0)
        abort();
    for (size_t i = 0; i < m->line_count; i++)
        if (memcmp(&again.lines[i], &m->lines[i], sizeof m->lines[i]) != 0)
            abort();
    movie_free(&again);
    if (movie_write(m, fuzz_path("no-folder/again.fm2"), &e) != STATUS_IO)
        abort();
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct movie m;
        struct error e = {0};
        enum status status = movie_load(&m, path, &e);
        if (!fuzz_allocation_failed()) {
            movie_free(&m);
            return;
        }
        if (status != STATUS_MEMORY || m.lines != NULL || m.resets != NULL)
            abort();
    }
}

static void look_thoroughly(const uint8_t *data, size_t size) {
    struct movie m;
    struct error e = {0};
    const char *path = fuzz_file("fuzz.fm2", data, size);
    if (movie_load(&m, path, &e) == STATUS_OK) {
        play(&m);
        write_and_read(&m);
    } else if (strncmp(e.text, path, strlen(path)) != 0) {
        abort();
    }
    movie_free(&m);
    if (size <= FUZZ_SHORT)
        try_without_memory(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct movie m;
    struct error e = {0};
    if (movie_parse(&m, (const char *)data, size, "fuzz.fm2", &e) == STATUS_OK)
        check_lines(&m);
    else if (m.lines != NULL || strncmp(e.text, "fuzz.fm2:", 9) != 0)
        abort();
    movie_free(&m);
    if (fuzz_thorough())
        look_thoroughly(data, size);
    return 0;
}
