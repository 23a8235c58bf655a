/*
 * Converts QEMU's log of executed blocks to a graph, a structure and a stream. The log has every
 * block's instructions when it is translated, and a line for each of its executions, so all edges
 * and counts follow. Its addresses are those of the emulated process: the program and its loader lie
 * where the log says that they were loaded, and system calls map the other files.
 *
 * A block counts only if the file has the bytes that were translated. So memory that no longer shows
 * a file, generated code and changed files are left out.
 *
 * A line is written before its block is executed, so a block is counted with its thread's next line.
 * If a block does not follow the previous one, a signal handler began or ended: as in a recording,
 * the edge then is from the block before the handler to the block after it.
 */
#include "qemu/import/import.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/images/segments.h"
#include "qemu/import/import_flow.h"
#include "qemu/import/qemu_log_text.h"
#include "qemu/qemu.h"
#include "qemu/target.h"

enum { SUSPENDED_MOST = 16, BATCH = 25 };

struct log_block {
    uint64_t address, size; /* of the process; bytes */
    size_t first, count;    /* of its instructions in `insns`; count 0: not in a file here */
    uint64_t runs;
    bool repeats; /* its one instruction is executed again for each iteration */
};

struct log_cpu {
    bool has_block;
    bool signalled; /* its next block is a signal handler's */
    size_t block;   /* the last line's */
    size_t suspended[SUSPENDED_MOST];
    bool halted[SUSPENDED_MOST]; /* before that block, instead of after it */
    unsigned depth;
};

struct logging {
    struct import_flow flow;
    const struct import_request *request;
    char *program;
    VEC(struct log_block) blocks;
    struct map block_at; /* address of the process -> 1 + number of the newest block */
    VEC(uint32_t) insns; /* code addresses */
    struct map arcs;     /* (from << 32 | to) -> count */
    VEC(struct log_cpu) cpus;
    size_t newest; /* the last line's cpu */
    bool open;     /* lines of a block follow */
    uint64_t open_at;
    VEC(uint8_t) open_bytes;
    uint64_t clock, due; /* instructions; of the next batch's first one */
    VEC(struct sample) batch;
    bool in_batch, ended, lost;
    struct stream_maker stream;
    struct import_counts *counts;
};

static enum status no_memory(const struct logging *l, struct error *e) {
    return error_set(e, STATUS_MEMORY, "%s: out of memory", l->request->path);
}

/* ---- files ---- */

/* Maps a file's segments where a loader puts them; `bias`: what is added to their addresses. */
static bool map_segments(struct logging *l, const struct code_image *image, uint64_t bias) {
    Elf64_Ehdr head;
    Elf64_Phdr p;
    struct perf_map map = {0};
    const char *path = image->path;
    if (strlen(path) >= sizeof map.path)
        return true;
    memcpy(map.path, path, strlen(path) + 1);
    const struct file_view file = image->file; /* images may move */
    for (size_t i = 0; elf_segment(&file, i, &head, &p); i++) {
        if (p.p_type != PT_LOAD || p.p_filesz == 0)
            continue;
        map.start = bias + p.p_vaddr;
        map.size = p.p_filesz;
        map.offset = p.p_offset;
        if (!code_add_map(&l->flow.code, &map))
            return false;
    }
    return true;
}

/* The path, in the folder of libraries if it is there, without symbolic links, as recordings name
 * files. The caller frees it; NULL: out of memory. */
static char *real_path(const struct logging *l, const char *path) {
    char below[PATH_MAX];
    const char *root = l->request->sysroot;
    char *found = NULL;
    if (root != NULL && path[0] == '/' &&
        (size_t)snprintf(below, sizeof below, "%s%s", root, path) < sizeof below)
        found = realpath(below, NULL);
    if (found == NULL)
        found = realpath(path, NULL);
    return found != NULL ? found : strdup(path);
}

/* NULL: out of memory. */
static const struct code_image *image_of(struct logging *l, const char *path) {
    const struct code_image *image = NULL;
    char *real = real_path(l, path);
    if (real == NULL || !code_image_named(&l->flow.code, real, &image))
        image = NULL;
    free(real);
    return image;
}

static enum status load_program(struct logging *l, uint64_t code, struct error *e) {
    const struct code_image *image = image_of(l, l->program);
    Elf64_Ehdr head;
    Elf64_Phdr p;
    uint64_t first = UINT64_MAX;
    if (image == NULL)
        return no_memory(l, e);
    for (size_t i = 0; elf_segment(&image->file, i, &head, &p); i++)
        if (p.p_type == PT_LOAD && (p.p_flags & PF_X) != 0 && p.p_vaddr < first)
            first = p.p_vaddr;
    return first == UINT64_MAX || map_segments(l, image, code - first) ? STATUS_OK
                                                                       : no_memory(l, e);
}

/* The program's loader, if it has one, is where execution begins. */
static enum status load_loader(struct logging *l, uint64_t entry, struct error *e) {
    char path[PATH_MAX] = "";
    Elf64_Ehdr head;
    Elf64_Phdr p;
    const struct code_image *image = image_of(l, l->program);
    if (image == NULL)
        return no_memory(l, e);
    for (size_t i = 0; elf_segment(&image->file, i, &head, &p); i++)
        if (p.p_type == PT_INTERP && p.p_filesz < sizeof path && p.p_offset < image->file.len &&
            p.p_filesz <= image->file.len - p.p_offset)
            memcpy(path, image->file.at + p.p_offset, p.p_filesz);
    if (path[0] != '/')
        return STATUS_OK;
    image = image_of(l, path);
    if (image == NULL)
        return no_memory(l, e);
    return !elf_segment(&image->file, 0, &head, &p) || map_segments(l, image, entry - head.e_entry)
               ? STATUS_OK
               : no_memory(l, e);
}

static enum status add_map(struct logging *l, const struct qemu_log_event *event, struct error *e) {
    struct perf_map map = {.start = event->address, .size = event->size, .offset = event->offset};
    char *path = real_path(l, event->path);
    bool ok = path != NULL;
    if (ok && strlen(path) < sizeof map.path) {
        memcpy(map.path, path, strlen(path) + 1);
        ok = code_add_map(&l->flow.code, &map);
    }
    free(path);
    return ok ? STATUS_OK : no_memory(l, e);
}

/* ---- blocks ---- */

/* Fills in the block's instructions, if a file has its bytes. False: out of memory. */
static bool find_insns(struct logging *l, struct log_block *b) {
    struct mapped_code *code = &l->flow.code;
    uint32_t at;
    const uint64_t size = b->size;
    if (!code_address(code, 0, b->address, &at) || !code_has(code, at, l->open_bytes.at, size))
        return true;
    const uint32_t end = at + (uint32_t)size;
    b->first = l->insns.len;
    while (at < end) {
        const struct sample *insn = code_insn(code, at, &l->lost);
        if (l->lost || (insn != NULL && !vec_push(&l->insns, at)))
            return false;
        if (insn == NULL)
            break;
        at += insn->size;
    }
    b->count = at == end ? l->insns.len - b->first : 0;
    b->repeats = b->count == 1 && code_repeats(code, l->insns.at[b->first]);
    return true;
}

static bool same_block(const struct logging *l, const struct log_block *a,
                       const struct log_block *b) {
    return a->address == b->address && a->size == b->size && a->count == b->count &&
           (a->count == 0 || l->insns.at[a->first] == l->insns.at[b->first]);
}

static enum status close_block(struct logging *l, struct error *e) {
    if (!l->open)
        return STATUS_OK;
    struct log_block b = {.address = l->open_at, .size = l->open_bytes.len};
    l->open = false;
    uint64_t *known = map_at(&l->block_at, b.address);
    if (known == NULL || !find_insns(l, &b))
        return no_memory(l, e);
    if (*known != 0 && same_block(l, &l->blocks.at[*known - 1], &b))
        return STATUS_OK; /* translated again */
    if (!vec_push(&l->blocks, b))
        return no_memory(l, e);
    *known = l->blocks.len;
    return STATUS_OK;
}

static enum status add_line(struct logging *l, const struct qemu_log_event *event,
                            struct error *e) {
    if (event->address != l->open_at + l->open_bytes.len)
        return error_set(e, STATUS_FORMAT, "%s: the block at 0x%llx has a gap before 0x%llx",
                         l->request->path, (unsigned long long)l->open_at,
                         (unsigned long long)event->address);
    for (unsigned i = 0; i < event->byte_count; i++)
        if (!vec_push(&l->open_bytes, event->bytes[i]))
            return no_memory(l, e);
    return STATUS_OK;
}

static uint32_t first_of(const struct logging *l, const struct log_block *b) {
    return l->insns.at[b->first];
}

static uint32_t last_of(const struct logging *l, const struct log_block *b) {
    return l->insns.at[b->first + b->count - 1];
}

/* ---- execution ---- */

static bool take_sample(struct logging *l, uint32_t insn) {
    const struct sample *found = code_insn(&l->flow.code, insn, &l->lost);
    if (found == NULL || !vec_push(&l->batch, *found))
        return false;
    l->batch.at[l->batch.len - 1].unused = 0;
    l->in_batch = l->batch.len < BATCH;
    return l->in_batch || stream_add(&l->stream, l->batch.at);
}

/* The block was executed. Samples are where hotgraph record takes them. */
static bool execute(struct logging *l, size_t number) {
    struct log_block *b = &l->blocks.at[number];
    b->runs++;
    l->counts->unmapped += b->count == 0;
    l->in_batch &= b->count > 0;
    for (size_t i = 0; i < b->count && (l->in_batch || l->due < l->clock + b->count); i++) {
        if (!l->in_batch && l->clock + i >= l->due) {
            l->in_batch = true;
            l->batch.len = 0;
            l->due += QEMU_EVERY;
        }
        if (l->in_batch && !take_sample(l, l->insns.at[b->first + i]))
            return false;
    }
    l->clock += b->count;
    return true;
}

/* Can control go from the one to the other without a signal? */
static bool follows(struct logging *l, const struct log_block *from, const struct log_block *to) {
    const uint32_t last = last_of(l, from);
    const struct sample *insn = code_insn(&l->flow.code, last, &l->lost);
    if (insn == NULL)
        return false;
    const uint64_t here = from->address + (last - first_of(l, from)),
                   target = here + (uint64_t)(int64_t)(int32_t)(insn->target - insn->pc);
    const bool next = to->address == here + insn->size;
    switch ((enum insn_kind)insn->kind) {
    case INSN_PLAIN:
        return next;
    case INSN_BRANCH:
        return next || to->address == target;
    case INSN_JUMP:
    case INSN_CALL:
        return to->address == target;
    default:
        return true;
    }
}

static bool ends_indirect(struct logging *l, const struct log_block *b) {
    const struct sample *insn = code_insn(&l->flow.code, last_of(l, b), &l->lost);
    return insn != NULL && (insn->kind == INSN_RETURN || insn->kind == INSN_JUMP_INDIRECT);
}

static bool count_arc(struct logging *l, size_t from, size_t to) {
    uint64_t *at = map_at(&l->arcs, (uint64_t)from << 32 | to);
    if (at == NULL)
        return false;
    ++*at;
    return true;
}

static void suspend(struct logging *l, struct log_cpu *c, size_t block, bool halted) {
    if (c->depth == SUSPENDED_MOST)
        return;
    c->suspended[c->depth] = block;
    c->halted[c->depth++] = halted;
    l->counts->broken += !halted;
}

/* Resumes what a signal handler interrupted, if `to` follows it. */
static bool resume(struct logging *l, struct log_cpu *c, size_t to, bool *resumed) {
    *resumed = false;
    if (c->depth == 0)
        return true;
    const size_t from = c->suspended[c->depth - 1];
    const bool halted = c->halted[c->depth - 1];
    if (halted ? from != to : !follows(l, &l->blocks.at[from], &l->blocks.at[to]))
        return true;
    *resumed = true;
    c->depth--;
    l->counts->broken -= !halted;
    return halted || count_arc(l, from, to);
}

/* Control of a thread comes to a block, from `from` if has_block. */
static bool come_to(struct logging *l, struct log_cpu *c, size_t to) {
    const struct log_block *b = &l->blocks.at[to],
                           *from = c->has_block ? &l->blocks.at[c->block] : NULL;
    const bool signalled = c->signalled;
    bool resumed = false;
    c->signalled = false;
    if (b->count == 0 || (from != NULL && from->count == 0))
        return true;
    if (from != NULL && follows(l, from, b) && !(signalled && ends_indirect(l, from)))
        return count_arc(l, c->block, to);
    if (!signalled && !resume(l, c, to, &resumed))
        return false;
    if (!resumed && from != NULL)
        suspend(l, c, c->block, false);
    return resumed || vec_push(&l->flow.flow.entries, first_of(l, b));
}

static enum status take_run(struct logging *l, const struct qemu_log_event *event,
                            struct error *e) {
    const uint64_t *found = map_find(&l->block_at, event->address);
    if (found == NULL)
        return error_set(e, STATUS_FORMAT,
                         "%s: the block at 0x%llx is executed, but its instructions are not in the "
                         "log (-d in_asm, without -dfilter)",
                         l->request->path, (unsigned long long)event->address);
    const size_t number = *found - 1;
    while (l->cpus.len <= event->cpu)
        if (!vec_push(&l->cpus, (struct log_cpu){0}))
            return no_memory(l, e);
    struct log_cpu *c = &l->cpus.at[event->cpu];
    const struct log_block *b = &l->blocks.at[number],
                           *from = c->has_block ? &l->blocks.at[c->block] : NULL;
    l->newest = event->cpu;
    if (b->repeats && from != NULL && from->count > 0 && last_of(l, from) == first_of(l, b))
        return STATUS_OK; /* another iteration of the instruction that ends the previous block */
    bool ok = from == NULL || execute(l, c->block);
    ok = ok && come_to(l, c, number);
    c->has_block = true;
    c->block = number;
    return ok ? STATUS_OK : no_memory(l, e);
}

/* The newest line's block is not executed, because a signal comes before it. */
static void take_halt(struct logging *l, uint64_t address) {
    struct log_cpu *c = l->newest < l->cpus.len ? &l->cpus.at[l->newest] : NULL;
    if (c == NULL || !c->has_block || l->blocks.at[c->block].address != address)
        return;
    suspend(l, c, c->block, true);
    c->has_block = false;
}

/* A handler's context ends with its newest block, or another one begins. With several threads it is
 * not said whose, and what can follow what decides. */
static enum status take_signal(struct logging *l, bool returns, struct error *e) {
    struct log_cpu *c = l->cpus.len == 1 ? &l->cpus.at[0] : NULL;
    if (c == NULL)
        return STATUS_OK;
    if (!returns)
        c->signalled = true;
    else if (c->has_block && !execute(l, c->block))
        return no_memory(l, e);
    c->has_block &= !returns;
    return STATUS_OK;
}

static enum status take_event(void *user, const struct qemu_log_event *event, struct error *e) {
    struct logging *l = user;
    const enum status status = event->kind != QEMU_LOG_LINE ? close_block(l, e) : STATUS_OK;
    if (status != STATUS_OK)
        return status;
    switch (event->kind) {
    case QEMU_LOG_BLOCK:
        l->open = true;
        l->open_at = event->address;
        l->open_bytes.len = 0;
        return STATUS_OK;
    case QEMU_LOG_LINE:
        return add_line(l, event, e);
    case QEMU_LOG_RUN:
        return take_run(l, event, e);
    case QEMU_LOG_HALT:
        take_halt(l, event->address);
        return STATUS_OK;
    case QEMU_LOG_CODE:
        return load_program(l, event->address, e);
    case QEMU_LOG_ENTRY:
        return load_loader(l, event->address, e);
    case QEMU_LOG_MAP:
        return add_map(l, event, e);
    case QEMU_LOG_FAULT:
        l->counts->unequal++;
        return take_signal(l, false, e);
    case QEMU_LOG_SIGNAL:
        return take_signal(l, false, e);
    case QEMU_LOG_RETURN:
        return take_signal(l, true, e);
    case QEMU_LOG_EXIT:
        l->ended |= l->cpus.len == 1;
        return STATUS_OK;
    case QEMU_LOG_EXIT_ALL:
        l->ended = true;
        return STATUS_OK;
    }
    return STATUS_OK;
}

/* ---- the flow ---- */

static bool add_insns(struct logging *l, const struct log_block *b) {
    for (size_t i = 1; i < b->count && b->runs > 0; i++)
        if (!import_flow_add(&l->flow, l->insns.at[b->first + i - 1], l->insns.at[b->first + i],
                             b->runs, false))
            return false;
    return true;
}

static bool make_flow(struct logging *l) {
    uint64_t key, count;
    for (size_t i = 0; i < l->cpus.len; i++)
        if (l->cpus.at[i].has_block && !execute(l, l->cpus.at[i].block))
            return false;
    for (size_t i = 0; i < l->blocks.len; i++)
        if (!add_insns(l, &l->blocks.at[i]))
            return false;
    for (size_t at = 0; map_next(&l->arcs, &at, &key, &count);) {
        const struct log_block *from = &l->blocks.at[key >> 32], *to = &l->blocks.at[(uint32_t)key];
        const struct sample *last = code_insn(&l->flow.code, last_of(l, from), &l->lost);
        if (last == NULL)
            return false;
        const bool transfer = last->kind != INSN_PLAIN || first_of(l, to) != last->pc + last->size;
        l->counts->branches += transfer ? count : 0;
        if (!import_flow_add(&l->flow, last->pc, first_of(l, to), count, transfer))
            return false;
    }
    return true;
}

/* With several threads consecutive lines are not consecutive instructions. */
static void make_stream(struct logging *l, struct import_result *out) {
    if (l->cpus.len > 1 || l->stream.stream.batch_count == 0)
        return;
    out->stream = stream_made(&l->stream);
    out->stream.population = out->stream.executed = l->clock;
}

static enum status make_result(struct logging *l, struct import_result *out, struct error *e) {
    struct file_view file = {0};
    char program[41] = "";
    if (!make_flow(l))
        return no_memory(l, e);
    if (l->clock == 0)
        return error_set(e, STATUS_FORMAT,
                         "%s: no file here has the code that it executes: is %s the program, "
                         "unchanged?",
                         l->request->path, l->request->program);
    enum status status = import_flow_end(&l->flow, out, e);
    if (status == STATUS_OK)
        status = file_view_path(&file, l->program, SIZE_MAX - 1, e);
    if (status != STATUS_OK)
        return status;
    sha1_hex(file.at, file.len, program);
    file_view_free(&file);
    make_stream(l, out);
    out->counts.samples = l->clock;
    out->counts.threads = l->cpus.len;
    out->graph.kind = l->counts->unequal == 0 ? GRAPH_EXACT : GRAPH_BUILT;
    out->graph.partial = !l->ended;
    out->structure.transfers = l->counts->branches;
    memcpy(out->graph.program, program, sizeof program);
    memcpy(out->structure.graph.program, program, sizeof program);
    memcpy(out->stream.program, program, sizeof program);
    return STATUS_OK;
}

static void logging_free(struct logging *l) {
    import_flow_free(&l->flow);
    free(l->program);
    vec_free(&l->blocks);
    map_free(&l->block_at);
    vec_free(&l->insns);
    map_free(&l->arcs);
    vec_free(&l->cpus);
    vec_free(&l->open_bytes);
    vec_free(&l->batch);
    stream_unmake(&l->stream);
}

enum status import_qemu(struct import_result *out, const struct import_request *request,
                        struct error *e) {
    struct file_view text = {0};
    *out = (struct import_result){0};
    struct logging l = {.request = request,
                        .counts = &out->counts,
                        .due = QEMU_EVERY,
                        .stream.stream.batch_length = BATCH};
    const struct qemu_log_reader reader = {.event = take_event, .user = &l};
    enum status status = file_view_path(&text, request->path, SIZE_MAX / 2, e);
    if (status == STATUS_OK) {
        l.program = realpath(request->program, NULL);
        if (l.program == NULL)
            status = error_set(e, STATUS_IO, "%s: there is no such file", request->program);
    }
    if (status == STATUS_OK && request->images != NULL &&
        !code_add_images(&l.flow.code, request->images))
        status = no_memory(&l, e);
    if (status == STATUS_OK)
        status = qemu_log_read((const char *)text.at, text.len, request->path, &reader, e);
    if (status == STATUS_OK)
        status = make_result(&l, out, e);
    if (status != STATUS_OK)
        import_free(out);
    file_view_free(&text);
    logging_free(&l);
    return status;
}
