/*
 * Plays a movie in Nestopia (as a libretro core) and writes the 2 KiB of RAM after every frame, or
 * after each write to a byte of it.
 *
 *     nestopia CORE.so ROM MOVIE.fm2 FRAMES OUT [CHECKPOINT]
 *
 * Where the environment has PICTURES, the file of that name gets the frames' pictures: 256 x 240
 * numbers of four bytes, ffffffff where the core shows nothing, each pixel with an upper byte of 0.
 *
 * Frame i gets the movie's line i+1, as in hotgraph. Of the libretro interface only what is needed
 * here is declared, after its public description.
 *
 * The interface cannot tell of writes. So the core runs in a child process, and the processor of
 * the host, one of its watchpoints on the byte CHECKPOINT of the guest's RAM, stops it after each
 * write. Exit status 77 when there is no watchpoint to be had.
 */
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { /* environment commands */
       GET_SYSTEM_DIRECTORY = 9,
       SET_PIXEL_FORMAT = 10,
       GET_VARIABLE = 15,
       GET_VARIABLE_UPDATE = 17,
       GET_SAVE_DIRECTORY = 31
};
enum { MEMORY_SYSTEM_RAM = 2, JOYPAD = 1, RAM_SIZE = 2048 };

struct variable {
    const char *key, *value;
};
struct game_info {
    const char *path;
    const void *data;
    size_t size;
    const char *meta;
};

enum { WIDTH = 256, HEIGHT = 240, FORMAT_32 = 1 };

static unsigned pixel_format; /* as the interface numbers them; two bytes per pixel, except for
                                 FORMAT_32 */
static uint32_t picture[HEIGHT][WIDTH];

static uint8_t (*lines)[2]; /* buttons of both pads, a bit a libretro joypad id */
static size_t line_count, current;

static bool environment(unsigned command, void *data) {
    switch (command) {
    case GET_SYSTEM_DIRECTORY:
    case GET_SAVE_DIRECTORY:
        *(const char **)data = ".";
        return true;
    case SET_PIXEL_FORMAT:
        pixel_format = *(const unsigned *)data;
        return true;
    case GET_VARIABLE: {
        struct variable *v = data;
        if (strcmp(v->key, "nestopia_ram_power_state") == 0)
            v->value = "0x00";
        else if (strcmp(v->key, "nestopia_favored_system") == 0)
            v->value = "ntsc";
        else
            v->value = NULL;
        return v->value != NULL;
    }
    case GET_VARIABLE_UPDATE:
        *(bool *)data = false;
        return true;
    default:
        return false;
    }
}

/* A core without borders gives a smaller picture, the middle part. */
static void video(const void *data, unsigned width, unsigned height, size_t pitch) {
    if (data == NULL || width > WIDTH || height > HEIGHT)
        return;
    memset(picture, 0xFF, sizeof picture);
    for (unsigned y = 0; y < height; y++)
        for (unsigned x = 0; x < width; x++) {
            const uint8_t *row = (const uint8_t *)data + y * pitch;
            uint32_t value = 0;
            memcpy(&value, row + x * (pixel_format == FORMAT_32 ? 4 : 2),
                   pixel_format == FORMAT_32 ? 4 : 2);
            picture[(HEIGHT - height) / 2 + y][(WIDTH - width) / 2 + x] = value & 0xFFFFFF;
        }
}
static void audio(int16_t left, int16_t right) {
    (void)left, (void)right;
}
static size_t audio_batch(const int16_t *data, size_t frames) {
    (void)data;
    return frames;
}
static void poll(void) {
}

/* The eight buttons of a line in FM2's order from A up, as libretro numbers them. */
static int16_t input(unsigned port, unsigned device, unsigned index, unsigned id) {
    static const int bit_of[16] = {1, -1, 2, 3, 4, 5, 6, 7, 0, -1, -1, -1, -1, -1, -1, -1};
    (void)device, (void)index;
    if (port > 1 || id > 15 || bit_of[id] < 0 || current >= line_count)
        return 0;
    return lines[current][port] >> bit_of[id] & 1;
}

/* A pad's eight columns, RLDUTSBA, or an empty field. */
static uint8_t buttons(const char *field, size_t length) {
    uint8_t held = 0;
    for (size_t i = 0; i < 8 && i < length; i++)
        if (field[i] != '.' && field[i] != ' ')
            held |= 0x80 >> i;
    return held;
}

/* |command|pad|pad|...; false: the line cannot be played here. */
static bool parse_line(const char *text, uint8_t pads[2]) {
    const char *first = text + 3;
    if (strncmp(text, "|0|", 3) != 0)
        return false;
    const char *second = strchr(first, '|');
    if (second == NULL)
        return false;
    const char *end = strchr(second + 1, '|');
    if (end == NULL)
        return false;
    pads[0] = buttons(first, (size_t)(second - first));
    pads[1] = buttons(second + 1, (size_t)(end - second - 1));
    return true;
}

static void read_movie(const char *path) {
    FILE *f = fopen(path, "r");
    char text[512];
    size_t cap = 0;
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    while (fgets(text, sizeof text, f) != NULL) {
        if (text[0] != '|')
            continue;
        if (line_count == cap) {
            cap = cap == 0 ? 1024 : 2 * cap;
            lines = realloc(lines, cap * sizeof *lines);
            if (lines == NULL)
                abort();
        }
        if (!parse_line(text, lines[line_count++])) {
            fprintf(stderr, "%s: only pads and no resets can be played: %s", path, text);
            exit(1);
        }
    }
    fclose(f);
}

static void *core;

static void symbol(void *out, const char *name) {
    void *at = dlsym(core, name);
    if (at == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    memcpy(out, &at, sizeof at);
}

static void connect_core(const char *path) {
    void (*init)(void), (*set)(void *);
    core = dlopen(path, RTLD_NOW);
    if (core == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    const struct {
        const char *name;
        void *call;
    } calls[] = {
        {"retro_set_environment", (void *)environment},
        {"retro_set_video_refresh", (void *)video},
        {"retro_set_audio_sample", (void *)audio},
        {"retro_set_audio_sample_batch", (void *)audio_batch},
        {"retro_set_input_poll", (void *)poll},
        {"retro_set_input_state", (void *)input},
    };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        symbol(&set, calls[i].name);
        set(calls[i].call);
    }
    symbol(&init, "retro_init");
    init();
}

static void load_game(const char *path) {
    bool (*load)(const struct game_info *);
    FILE *f = fopen(path, "rb");
    static uint8_t rom[4 << 20];
    if (f == NULL) {
        perror(path);
        exit(1);
    }
    struct game_info game = {.path = path, .data = rom, .size = fread(rom, 1, sizeof rom, f)};
    fclose(f);
    symbol(&load, "retro_load_game");
    if (!load(&game)) {
        fprintf(stderr, "%s: refused by the core\n", path);
        exit(1);
    }
}

static void (*run)(void);
static uint8_t *ram;
static size_t frames;
static FILE *out;

static void give_up(const char *what) {
    fprintf(stderr, "%s: %s\n", what, strerror(errno));
    exit(1);
}

static void dump_frames(void) {
    const char *const path = getenv("PICTURES");
    FILE *const pictures = path != NULL ? fopen(path, "wb") : NULL;
    if (path != NULL && pictures == NULL)
        give_up(path);
    for (current = 1; current <= frames; current++) {
        run();
        fwrite(ram, 1, RAM_SIZE, out);
        if (pictures != NULL)
            fwrite(picture, 1, sizeof picture, pictures);
    }
    if (pictures != NULL && fclose(pictures) != 0)
        give_up(path);
}

/* The child: waits for its watchpoint, then plays. */
static void play_watched(void) {
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
        _exit(1);
    raise(SIGSTOP);
    for (current = 1; current <= frames; current++)
        run();
    _exit(0);
}

/* Stops `child` after each write to the byte at `address`; false: that is not possible. */
static bool watch(pid_t child, const uint8_t *address) {
#ifdef __x86_64__
    enum { ENABLE_0 = 1, ON_WRITE_0 = 1 << 16 }; /* of DR7; length bits 0: one byte */
    return ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[0]), address) == 0 &&
           ptrace(PTRACE_POKEUSER, child, offsetof(struct user, u_debugreg[7]),
                  (void *)(ENABLE_0 | ON_WRITE_0)) == 0;
#else
    (void)child, (void)address;
    errno = ENOSYS;
    return false;
#endif
}

static void dump_child(pid_t child) {
    uint8_t copy[RAM_SIZE];
    const struct iovec to = {copy, sizeof copy}, from = {ram, sizeof copy};
    if (process_vm_readv(child, &to, 1, &from, 1, 0) != RAM_SIZE)
        give_up("the child's memory cannot be read");
    fwrite(copy, 1, sizeof copy, out);
}

static void dump_checkpoints(unsigned checkpoint) {
    int status = 0;
    pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0)
        play_watched();
    if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status))
        give_up("ptrace");
    if (!watch(child, ram + checkpoint)) {
        fprintf(stderr, "no watchpoint: %s\n", strerror(errno));
        kill(child, SIGKILL);
        exit(77);
    }
    for (int signal = 0;;) {
        if (ptrace(PTRACE_CONT, child, NULL, (void *)(intptr_t)signal) != 0 ||
            waitpid(child, &status, 0) != child)
            give_up("ptrace");
        if (!WIFSTOPPED(status))
            break;
        signal = WSTOPSIG(status);
        if (signal == SIGTRAP) {
            dump_child(child);
            signal = 0;
        }
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        fprintf(stderr, "the core has crashed\n");
        exit(1);
    }
}

int main(int argc, char **argv) {
    void *(*memory)(unsigned);
    if (argc != 6 && argc != 7) {
        fprintf(stderr, "usage: nestopia CORE.so ROM MOVIE.fm2 FRAMES OUT [CHECKPOINT]\n");
        return 2;
    }
    connect_core(argv[1]);
    read_movie(argv[3]);
    load_game(argv[2]);
    void (*plug)(unsigned port, unsigned device);
    symbol(&plug, "retro_set_controller_port_device");
    plug(0, JOYPAD);
    plug(1, JOYPAD);
    symbol(&run, "retro_run");
    symbol(&memory, "retro_get_memory_data");
    ram = memory(MEMORY_SYSTEM_RAM);
    for (unsigned i = 0; i < RAM_SIZE; i++)
        ram[i] = i & 4 ? 0xff : 0; /* as at power-on in hotgraph and FCEUX */
    frames = strtoull(argv[4], NULL, 10);
    out = fopen(argv[5], "wb");
    if (out == NULL)
        give_up(argv[5]);
    if (argc == 7)
        dump_checkpoints((unsigned)strtoul(argv[6], NULL, 10) % RAM_SIZE);
    else
        dump_frames();
    if (fclose(out) != 0)
        give_up(argv[5]);
    return 0;
}
