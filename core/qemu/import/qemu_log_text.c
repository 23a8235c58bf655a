/*
 * Reads what `qemu-x86_64 -strace -d exec,nochain,in_asm,page -D FILE` writes. The lines that matter
 * (QEMU's accel/tcg/cpu-exec.c, disas/disas.c, linux-user/elfload.c and linux-user/strace.c print
 * them):
 *
 *     start_code  0x0000004000001000           once, when the program has been loaded
 *     entry       0x0000004002820b70
 *     IN: main                                 a block is translated; it ends at an empty line
 *     0x4002820b70:  48 89 e7     movq %rsp, %rdi
 *     Trace 0: 0x7f045d400100 [0000000000000000/0000004002820b70/1040c0b3/00000200] main
 *                                              it is executed: [base/address/flags/options]
 *     Stopped execution of TB chain before 0x7f045d400100 [0000004002820b70] main
 *                                              no, it is not: a signal comes first
 *     31882 openat(-100,"/lib/x86_64-linux-gnu/libc.so.6",O_RDONLY|O_CLOEXEC) = 4
 *     31882 mmap(NULL,58891,PROT_READ,MAP_PRIVATE,4,0)page layout changed following mmap
 *      = 0x000000400283d000                    the result, as lines of `page` come in between
 *     --- SIGSEGV {si_signo=SIGSEGV, ...} ---
 *     31882 exit_group(0)
 *
 * Words of bytes are as wide as the processor's instructions: 2 digits on x86-64, else 4 or 8.
 */
#include "qemu/import/qemu_log_text.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/import/plain_hex.h"

/* Of a block's options: it does not jump to the next one itself. */
enum { NO_CHAIN = 0x200, CPUS_MOST = 1 << 16 };

#define ASKED "run QEMU with -strace -d exec,nochain,in_asm,page"

struct reading {
    const char *name;
    size_t line;
    const struct qemu_log_reader *reader;
    VEC(char *) names;       /* of all opened files; `files` and `map` show some of them */
    VEC(const char *) files; /* paths by descriptor; NULL: unknown */
    uint64_t process;
    bool has_process, loaded, executed;
    bool in_block, begun; /* in the lines of a block; after the first one */
    bool mapping;         /* `map` waits for its result */
    struct qemu_log_event map;
    struct error *e;
};

static enum status refuse(struct reading *r, const char *what) {
    return error_set(r->e, STATUS_FORMAT, "%s:%zu: %s", r->name, r->line, what);
}

static enum status no_memory(struct reading *r) {
    return error_set(r->e, STATUS_MEMORY, "%s: out of memory", r->name);
}

static enum status hand_on(struct reading *r, const struct qemu_log_event *event) {
    return r->reader->event(r->reader->user, event, r->e);
}

static bool skip(const char **at, const char *end, const char *text) {
    const size_t len = strlen(text);
    if ((size_t)(end - *at) < len || memcmp(*at, text, len) != 0)
        return false;
    *at += len;
    return true;
}

static void skip_blanks(const char **at, const char *end) {
    while (*at < end && **at == ' ')
        ++*at;
}

/* ---- blocks ---- */

/* Takes the words of bytes, the least significant byte first, as they are in memory. All are as wide
 * as the first one, so that "dc" in "d50b7423  dc  zva, x3" is none. */
static void take_bytes(const char *at, const char *end, struct qemu_log_event *event) {
    for (size_t width = 0;;) {
        uint64_t word;
        skip_blanks(&at, end);
        const char *from = at;
        const bool is_number = scan_plain_hex(&at, end, &word);
        const size_t digits = (size_t)(at - from);
        if (width == 0 && (digits == 2 || digits == 4 || digits == 8))
            width = digits;
        if (!is_number || (at < end && *at != ' ') || width == 0 || digits != width ||
            event->byte_count + digits / 2 > QEMU_LOG_BYTES)
            return;
        for (size_t i = 0; i < digits / 2; i++)
            event->bytes[event->byte_count++] = (uint8_t)(word >> (8 * i));
    }
}

static enum status take_insn(struct reading *r, const char *at, const char *end) {
    struct qemu_log_event event = {.kind = QEMU_LOG_BLOCK};
    if (!scan_hex(&at, end, UINT64_MAX, &event.address) || !skip(&at, end, ":"))
        return refuse(r, "a line of a block is an address, its bytes and an instruction");
    enum status status = STATUS_OK;
    if (!r->begun)
        status = hand_on(r, &event);
    r->begun = true;
    event.kind = QEMU_LOG_LINE;
    take_bytes(at, end, &event);
    if (status == STATUS_OK && event.byte_count == 0)
        status = refuse(r, "an instruction has no bytes");
    return status == STATUS_OK ? hand_on(r, &event) : status;
}

/* Parses what follows "Trace ", such as "0: 0x7f04 [0/4002820b70/1040c0b3/200] main". */
static enum status take_run(struct reading *r, const char *at, const char *end) {
    struct qemu_log_event event = {.kind = QEMU_LOG_RUN};
    uint64_t cpu, host, base, flags, options;
    if (!scan_decimal(&at, end, CPUS_MOST - 1, &cpu) || !skip(&at, end, ": ") ||
        !scan_hex(&at, end, UINT64_MAX, &host) || !skip(&at, end, " [") ||
        !scan_plain_hex(&at, end, &base) || !skip(&at, end, "/") ||
        !scan_plain_hex(&at, end, &event.address) || !skip(&at, end, "/") ||
        !scan_plain_hex(&at, end, &flags) || !skip(&at, end, "/") ||
        !scan_plain_hex(&at, end, &options) || !skip(&at, end, "]"))
        return refuse(r,
                      "an executed block is 'Trace CPU: 0xHOST [BASE/ADDRESS/FLAGS/OPTIONS]', as "
                      "QEMU 6.1 and later write it");
    if ((options & NO_CHAIN) == 0)
        return refuse(r, "blocks that QEMU has chained are executed without a line: " ASKED);
    event.cpu = (unsigned)cpu;
    r->executed = true;
    return hand_on(r, &event);
}

/* Parses what follows "Stopped execution of TB chain before ". */
static enum status take_halt(struct reading *r, const char *at, const char *end) {
    struct qemu_log_event event = {.kind = QEMU_LOG_HALT};
    uint64_t host;
    if (!scan_hex(&at, end, UINT64_MAX, &host) || !skip(&at, end, " [") ||
        !scan_plain_hex(&at, end, &event.address) || !skip(&at, end, "]"))
        return refuse(r, "'Stopped execution' lacks the block's address in brackets");
    return hand_on(r, &event);
}

static enum status take_loaded(struct reading *r, const char *at, const char *end,
                               enum qemu_log_kind kind) {
    struct qemu_log_event event = {.kind = kind};
    skip_blanks(&at, end);
    if (!scan_hex(&at, end, UINT64_MAX, &event.address))
        return refuse(r, "where the program was loaded is a number");
    r->loaded = true;
    return hand_on(r, &event);
}

/* ---- system calls ---- */

enum { FILES_MOST = 1 << 16 };

/* Parses what follows "openat(" or "open(": DIRECTORY,"PATH",FLAGS) = NUMBER. */
static enum status take_open(struct reading *r, const char *at, const char *end) {
    const char *from = memchr(at, '"', (size_t)(end - at));
    if (from == NULL)
        return STATUS_OK;
    from++;
    const char *to = memmem(from, (size_t)(end - from), "\",", 2);
    const char *equals = memmem(from, (size_t)(end - from), ") = ", 4);
    uint64_t number;
    if (to == NULL || to == from || equals == NULL || memchr(from, '\0', (size_t)(to - from)) ||
        (equals += 4, !scan_decimal(&equals, end, FILES_MOST - 1, &number)))
        return STATUS_OK; /* failed */
    while (r->files.len <= number)
        if (!vec_push(&r->files, NULL))
            return no_memory(r);
    char *path = strndup(from, (size_t)(to - from));
    if (path == NULL || !vec_push(&r->names, path)) {
        free(path);
        return no_memory(r);
    }
    r->files.at[number] = path;
    return STATUS_OK;
}

/* Parses " = 0x000000400283d000". */
static enum status take_result(struct reading *r, const char *at, const char *end) {
    const bool wanted = r->mapping;
    r->mapping = false;
    if (!wanted || !skip(&at, end, " = ") || !scan_hex(&at, end, UINT64_MAX, &r->map.address))
        return STATUS_OK;
    return hand_on(r, &r->map);
}

/* Moves *at after the next comma. */
static bool next_argument(const char **at, const char *end) {
    const char *comma = memchr(*at, ',', (size_t)(end - *at));
    *at = comma != NULL ? comma + 1 : end;
    return comma != NULL;
}

/* Parses what follows "mmap(": ADDRESS,SIZE,RIGHTS,FLAGS,DESCRIPTOR,OFFSET) and perhaps the result. */
static enum status take_mmap(struct reading *r, const char *at, const char *end) {
    struct qemu_log_event map = {.kind = QEMU_LOG_MAP};
    uint64_t file;
    r->mapping = false;
    if (!next_argument(&at, end) || !scan_decimal(&at, end, UINT64_MAX, &map.size) ||
        !next_argument(&at, end) || !next_argument(&at, end) || !next_argument(&at, end) ||
        !scan_decimal(&at, end, FILES_MOST - 1, &file) || !skip(&at, end, ",") ||
        (!scan_hex(&at, end, UINT64_MAX, &map.offset) &&
         !scan_decimal(&at, end, UINT64_MAX, &map.offset)) ||
        !skip(&at, end, ")") || file >= r->files.len || r->files.at[file] == NULL)
        return STATUS_OK; /* no file */
    map.path = r->files.at[file];
    r->map = map;
    r->mapping = true;
    return at < end && *at == ' ' ? take_result(r, at, end) : STATUS_OK;
}

/* Parses what follows "PROCESS ". */
static enum status take_call(struct reading *r, const char *at, const char *end, uint64_t process) {
    const bool opens = skip(&at, end, "openat(") || skip(&at, end, "open(");
    const bool maps = !opens && skip(&at, end, "mmap(");
    const bool all = skip(&at, end, "exit_group("), exits = all || skip(&at, end, "exit(");
    const bool returns = skip(&at, end, "rt_sigreturn(");
    if (r->has_process && r->process != process)
        return refuse(r, "a second process begins, which writes to the same log: use hotgraph "
                         "record --follow for programs that start others");
    r->process = process;
    r->has_process = true;
    const struct qemu_log_event ends = {.kind = returns ? QEMU_LOG_RETURN
                                                : all   ? QEMU_LOG_EXIT_ALL
                                                        : QEMU_LOG_EXIT};
    return opens              ? take_open(r, at, end)
           : maps             ? take_mmap(r, at, end)
           : exits || returns ? hand_on(r, &ends)
                              : STATUS_OK;
}

static bool is_one_of(const char *at, const char *end, const char *const *signals) {
    for (; *signals != NULL; signals++)
        if (skip(&at, end, *signals))
            return true;
    return false;
}

/* Parses what follows "--- ". */
static enum status take_signal(struct reading *r, const char *at, const char *end) {
    static const char *const faults[] = {"SIGSEGV ", "SIGBUS ",  "SIGILL ",
                                         "SIGFPE ",  "SIGTRAP ", NULL};
    /* Without a handler nothing happens. */
    static const char *const ignored[] = {"SIGCHLD ", "SIGURG ", "SIGWINCH ", "SIGCONT ", NULL};
    if (is_one_of(at, end, ignored))
        return STATUS_OK;
    const struct qemu_log_event event = {.kind = is_one_of(at, end, faults) ? QEMU_LOG_FAULT
                                                                            : QEMU_LOG_SIGNAL};
    return hand_on(r, &event);
}

/* ---- lines ---- */

/* Is it "31882 name("? */
static bool is_call(const char **at, const char *end, uint64_t *process) {
    if (!scan_decimal(at, end, UINT32_MAX, process) || !skip(at, end, " "))
        return false;
    const char *c = *at;
    while (c < end && ((*c >= 'a' && *c <= 'z') || (*c >= '0' && *c <= '9') || *c == '_'))
        c++;
    return c > *at && c < end && *c == '(';
}

static enum status take_line(struct reading *r, const char *at, const char *end) {
    uint64_t process;
    if (skip(&at, end, "Trace "))
        return take_run(r, at, end);
    if (*at == '0' && r->in_block)
        return take_insn(r, at, end);
    if (*at == ' ')
        return take_result(r, at, end);
    if (skip(&at, end, "Stopped execution of TB chain before "))
        return take_halt(r, at, end);
    if (skip(&at, end, "start_code "))
        return take_loaded(r, at, end, QEMU_LOG_CODE);
    if (skip(&at, end, "entry "))
        return take_loaded(r, at, end, QEMU_LOG_ENTRY);
    if (skip(&at, end, "--- "))
        return take_signal(r, at, end);
    return is_call(&at, end, &process) ? take_call(r, at, end, process) : STATUS_OK;
}

static enum status check_complete(struct reading *r) {
    const char *missing = !r->executed      ? "no executed blocks (-d exec,nochain)"
                          : !r->loaded      ? "no address of the program (-d page)"
                          : !r->has_process ? "no system calls, which map files (-strace)"
                                            : NULL;
    return missing == NULL
               ? STATUS_OK
               : error_set(r->e, STATUS_FORMAT, "%s: has %s: " ASKED " -D FILE", r->name, missing);
}

enum status qemu_log_read(const char *text, size_t len, const char *name,
                          const struct qemu_log_reader *reader, struct error *e) {
    struct reading r = {.name = name, .reader = reader, .e = e};
    const char *stop = text + len;
    enum status status = STATUS_OK;
    while (text < stop && status == STATUS_OK) {
        const char *newline = memchr(text, '\n', (size_t)(stop - text));
        const char *end = newline != NULL ? newline : stop;
        r.line++;
        const bool begins = (size_t)(end - text) >= 3 && memcmp(text, "IN:", 3) == 0;
        if (begins || text == end) {
            r.in_block = begins;
            r.begun = false;
        } else {
            status = take_line(&r, text, end);
        }
        text = newline != NULL ? newline + 1 : stop;
    }
    if (status == STATUS_OK)
        status = check_complete(&r);
    for (size_t i = 0; i < r.names.len; i++)
        free(r.names.at[i]);
    vec_free(&r.names);
    vec_free(&r.files);
    return status;
}
