/*
 * Converts the output of `perf script` to a graph, a structure and a stream. A branch stack is a
 * trace: between the target of an older branch and the source of the next one, code ran straight
 * on; perf2bolt and llvm-profgen count this in the same way (Chen, Li, Moseley 2016; Panchenko et
 * al. 2019). The last stretch, up to the sampled address, is not used.
 *
 * In the stream a stack is a batch: the instructions from its oldest branch to the target of the
 * newest one. Where the trace is interrupted (an entry with an end in the kernel, a range that is
 * not straight), a new batch begins. So `observed` makes the same graph of the stream.
 */
#include "qemu/import/import.h"

#include <stdlib.h>
#include <string.h>

#include "qemu/import/import_flow.h"

#define KERNEL UINT64_C(0xffff800000000000) /* kernel addresses start here */
enum { RANGE_MOST = SAMPLER_BATCH_MOST / 2 };

struct importing {
    struct import_flow flow;
    struct map branches, ranges; /* (from << 32 | to) -> count; ranges: first and last
                                    instruction */
    struct map broken;           /* keys of ranges that are not straight-line code */
    struct map threads;
    struct stream_maker stacks, addresses;
    VEC(struct sample) batch; /* the current one; its last instruction is the target of a branch */
    struct import_counts *counts;
    bool absolute_chains; /* perf printed an address in a call chain, not an offset */
    bool files_missing;   /* call chains came without files */
    bool lost;            /* out of memory */
};

static bool fail_memory(struct importing *im) {
    im->lost = true;
    return false;
}

static uint64_t key_of(uint32_t first, uint32_t last) {
    return (uint64_t)first << 32 | last;
}

static bool count(struct importing *im, struct map *m, uint32_t a, uint32_t b) {
    uint64_t *at = map_at(m, key_of(a, b));
    if (at == NULL)
        return fail_memory(im);
    ++*at;
    return true;
}

/* ---- reading ---- */

/* Counts an instruction in user space that is in no file as left out. */
static bool is_code(struct importing *im, bool found, uint32_t address) {
    found = found && code_insn(&im->flow.code, address, &im->lost) != NULL;
    im->counts->unmapped += !found;
    return found;
}

/* Finds the code address of an instruction in user space; false: counted as left out. */
static bool find_code(struct importing *im, uint32_t process, uint64_t address, uint32_t *out) {
    if (address >= KERNEL) {
        im->counts->kernel++;
        return false;
    }
    const bool found = code_address(&im->flow.code, process, address, out);
    return is_code(im, found, *out);
}

/* Finds the code address of an offset in the file that perf has printed. */
static bool find_in_file(struct importing *im, struct perf_file file, uint64_t offset,
                         uint32_t *out) {
    char path[PERF_MAP_PATH];
    if (file.at == NULL || file.length >= sizeof path)
        return false;
    memcpy(path, file.at, file.length);
    path[file.length] = '\0';
    return code_offset(&im->flow.code, path, offset, out);
}

/* As find_code, for the end of a branch, which may be an offset in a file. */
static bool find_end(struct importing *im, uint32_t process, uint64_t address,
                     struct perf_file file, uint32_t *out) {
    uint32_t found;
    if (address < KERNEL && !code_address(&im->flow.code, process, address, &found) &&
        find_in_file(im, file, address, out))
        return is_code(im, true, *out);
    return find_code(im, process, address, out);
}

/* As find_code, for the first address of a call chain: where it is in its file. Where that may as
 * well be an address of the process, other addresses decide what perf has printed. */
static bool find_chained(struct importing *im, uint32_t process, const struct perf_sample *s,
                         uint32_t *out) {
    uint32_t offset = 0;
    if (s->address >= KERNEL || s->file.at == NULL) {
        im->files_missing |= s->address < KERNEL;
        return find_code(im, process, s->address, out);
    }
    const bool in_process = code_address(&im->flow.code, process, s->address, out),
               in_file = find_in_file(im, s->file, s->address, &offset);
    im->absolute_chains |= in_process && !in_file;
    if (in_file && !im->absolute_chains)
        *out = offset;
    return is_code(im, in_file || in_process, *out);
}

static bool add_address(struct importing *im, uint32_t address) {
    const struct sample *insn = code_insn(&im->flow.code, address, &im->lost);
    if (insn == NULL)
        return fail_memory(im); /* it has been decoded before, so memory is out */
    struct sample single = *insn;
    single.unused = 0;
    im->addresses.stream.batch_length = 1;
    return stream_add(&im->addresses, &single) || fail_memory(im);
}

/* ---- straight-line code ---- */

/* The next instruction in sequence; 0: there is none, or the instruction does not continue in
 * sequence. */
static uint32_t straight(struct importing *im, uint32_t address, bool *branch) {
    const struct sample *insn = code_insn(&im->flow.code, address, &im->lost);
    if (insn == NULL || (insn->kind != INSN_PLAIN && insn->kind != INSN_BRANCH))
        return 0;
    *branch = insn->kind == INSN_BRANCH;
    return address + insn->size;
}

static bool is_straight(struct importing *im, uint32_t first, uint32_t last) {
    bool branch;
    if (last < first || last - first > RANGE_MOST)
        return false;
    while (first != 0 && first < last)
        first = straight(im, first, &branch);
    return first == last;
}

/* Counts a range. *whole: it is straight-line code. */
static bool count_range(struct importing *im, uint32_t first, uint32_t last, bool *whole) {
    const uint64_t key = key_of(first, last);
    const bool known = map_find(&im->ranges, key) != NULL;
    if (!count(im, &im->ranges, first, last))
        return false;
    if (known)
        *whole = map_find(&im->broken, key) == NULL;
    else if (!(*whole = is_straight(im, first, last)) && !im->lost)
        im->lost = map_at(&im->broken, key) == NULL;
    return !im->lost;
}

/* ---- batches ---- */

static bool end_batch(struct importing *im) {
    if (im->batch.len >= 2 && !stream_add_some(&im->stacks, im->batch.at, im->batch.len))
        return fail_memory(im);
    im->batch.len = 0;
    return true;
}

static bool push_insn(struct importing *im, uint32_t address) {
    const struct sample *insn = code_insn(&im->flow.code, address, &im->lost);
    if (insn == NULL || !vec_push(&im->batch, *insn))
        return fail_memory(im);
    im->batch.at[im->batch.len - 1].unused = 0;
    return true;
}

/* Adds the straight-line code after the batch's last instruction. */
static bool push_until(struct importing *im, uint32_t last) {
    const struct sample *end = &im->batch.at[im->batch.len - 1];
    for (uint32_t at = end->pc; at < last && !im->lost; push_insn(im, at))
        at += im->batch.at[im->batch.len - 1].size;
    return !im->lost;
}

/* Adds the range from the previous branch's target (0: unknown), up to a branch. */
static bool reach(struct importing *im, uint32_t target, uint32_t from) {
    bool whole = false;
    if (target != 0 && !count_range(im, target, from, &whole))
        return false;
    if (!whole)
        return end_batch(im) && push_insn(im, from);
    if (im->batch.len >= SAMPLER_BATCH_MOST - RANGE_MOST &&
        (!end_batch(im) || !push_insn(im, target)))
        return false;
    return push_until(im, from);
}

static bool take_branches(struct importing *im, uint32_t process, const struct perf_sample *s) {
    uint32_t target = 0; /* of the older branch; 0: unknown */
    for (size_t i = s->branch_count; i-- > 0 && !im->lost;) {
        const struct perf_branch *b = &s->branches[i];
        if (b->from == 0 && b->to == 0) /* an empty entry */
            continue;
        uint32_t from = 0, to = 0;
        const bool has_from = find_end(im, process, b->from, b->from_file, &from);
        const bool has_to = find_end(im, process, b->to, b->to_file, &to);
        const bool both = has_from && has_to;
        im->counts->branches += both;
        if ((has_from && !reach(im, target, from)) || (!both && !end_batch(im)) ||
            (both && !count(im, &im->branches, from, to)) || (has_to && !push_insn(im, to)))
            return false;
        target = has_to ? to : 0;
    }
    return !im->lost && end_batch(im);
}

static bool take_sample(void *user, const struct perf_sample *s) {
    struct importing *im = user;
    uint32_t address = 0;
    /* A process has the number of its first thread. */
    const uint32_t process = s->process != PERF_UNKNOWN ? s->process : s->thread;
    uint64_t *thread = map_at(&im->threads, s->thread);
    if (thread == NULL)
        return fail_memory(im);
    ++*thread;
    im->counts->samples++;
    if (s->branch_count > 0)
        return take_branches(im, process, s);
    if (s->chained ? find_chained(im, process, s, &address)
                   : find_code(im, process, s->address, &address))
        return add_address(im, address);
    return !im->lost;
}

static bool take_map(void *user, const struct perf_map *map) {
    struct importing *im = user;
    return code_add_map(&im->flow.code, map) || fail_memory(im);
}

/* ---- the flow ---- */

static bool push_pair(struct importing *im, uint32_t a, uint32_t b, uint64_t times, bool transfer) {
    return import_flow_add(&im->flow, a, b, times, transfer) || fail_memory(im);
}

static bool push_range(struct importing *im, uint32_t first, uint32_t last, uint64_t times) {
    bool branch = false;
    if (map_find(&im->broken, key_of(first, last)) != NULL) {
        im->counts->broken += times;
        return true;
    }
    while (first < last) {
        const uint32_t next = straight(im, first, &branch);
        if (!push_pair(im, first, next, times, branch))
            return false;
        first = next;
    }
    return true;
}

static bool make_flow(struct importing *im) {
    uint64_t key, times;
    for (size_t at = 0; map_next(&im->branches, &at, &key, &times);)
        if (!push_pair(im, (uint32_t)(key >> 32), (uint32_t)key, times, true))
            return false;
    for (size_t at = 0; map_next(&im->ranges, &at, &key, &times);)
        if (!push_range(im, (uint32_t)(key >> 32), (uint32_t)key, times))
            return false;
    return true;
}

/* The number of executions is unknown. With that of samples instead, counts are in samples. */
static void make_stream(struct importing *im, struct stream *out) {
    const bool stacks = im->stacks.stream.batch_count > 0;
    *out = stream_made(stacks ? &im->stacks : &im->addresses);
    out->population = out->executed =
        stacks ? stream_samples(out, out->batch_count) - out->batch_count : out->batch_count;
}

static enum status make_result(struct importing *im, struct import_result *out, const char *name,
                               struct error *e) {
    out->counts.threads = im->threads.len;
    if (im->stacks.stream.batch_count + im->addresses.stream.batch_count == 0)
        return error_set(
            e, STATUS_FORMAT,
            "%s: none of its %llu samples is in a file on this machine: print the %s, on the "
            "machine that was sampled",
            name, (unsigned long long)out->counts.samples,
            im->files_missing ? "call chains' files, too (perf script --fields +dso)"
                              : "maps, too (perf script --show-mmap-events)");
    enum status status = STATUS_OK;
    if (im->stacks.stream.batch_count > 0) {
        status = make_flow(im) ? import_flow_end(&im->flow, out, e)
                               : error_set(e, STATUS_MEMORY, "%s: out of memory", name);
        out->graph.kind = GRAPH_BUILT;
        out->structure.transfers = out->counts.branches;
    }
    if (status == STATUS_OK)
        make_stream(im, &out->stream);
    return status;
}

enum status import_perf(struct import_result *out, const struct import_request *request,
                        struct error *e) {
    struct bytes text = {0};
    struct importing im = {.counts = &out->counts, .stacks.stream.of = STREAM_OF_BRANCHES};
    *out = (struct import_result){0};
    const struct perf_reader reader = {.map = take_map, .sample = take_sample, .user = &im};
    enum status status = file_read(&text, request->path, SIZE_MAX / 2, e);
    if (status == STATUS_OK && request->images != NULL &&
        !code_add_images(&im.flow.code, request->images))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", request->path);
    if (status == STATUS_OK)
        status = perf_text_read((const char *)text.at, text.len, request->path, &reader, e);
    if (status == STATUS_OK)
        status = make_result(&im, out, request->path, e);
    if (status != STATUS_OK)
        import_free(out);
    bytes_free(&text);
    map_free(&im.branches);
    map_free(&im.ranges);
    map_free(&im.broken);
    map_free(&im.threads);
    stream_unmake(&im.stacks);
    vec_free(&im.batch);
    stream_unmake(&im.addresses);
    import_flow_free(&im.flow);
    return status;
}
