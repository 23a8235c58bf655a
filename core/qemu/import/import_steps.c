#include "qemu/import/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qemu/import/import_flow.h"

struct taking {
    struct mapped_code code;
    const struct import_steps *steps;
    const struct code_image *own; /* NULL: any file */
    struct stream_maker made;
    struct sample *batch;
    struct import_counts *counts;
    bool lost; /* out of memory */
};

static bool add_maps(struct taking *t) {
    const struct import_steps *q = t->steps;
    const struct code_image *own;
    bool ok = q->images == NULL || code_add_images(&t->code, q->images);
    ok = ok && code_image_named(&t->code, q->program, &own);
    for (size_t i = 0; ok && i < q->map_count; i++) {
        const struct import_map *m = &q->maps[i];
        struct perf_map map = {.start = m->start, .size = m->size, .offset = m->offset};
        const int length = snprintf(map.path, sizeof map.path, "%s", m->path);
        ok = length >= (int)sizeof map.path || code_add_map(&t->code, &map);
    }
    ok = ok && code_image_named(&t->code, q->program, &own); /* images may have moved */
    t->own = ok && q->own ? own : NULL;
    return ok;
}

static bool is_taken(const struct taking *t, uint32_t address) {
    return t->own == NULL || address - t->own->base < t->own->file.len;
}

/* False: an instruction is in no file, or not in the one that is wanted. */
static bool find_batch(struct taking *t, const uint64_t *addresses) {
    for (size_t i = 0; i < t->steps->batch_length; i++) {
        uint32_t address;
        const struct sample *insn;
        if (!code_address(&t->code, 0, addresses[i], &address) || !is_taken(t, address) ||
            (insn = code_insn(&t->code, address, &t->lost)) == NULL)
            return false;
        t->batch[i] = *insn;
        t->batch[i].unused = 0;
    }
    return true;
}

static bool take_all(struct taking *t) {
    const struct import_steps *q = t->steps;
    for (size_t i = 0; i < q->batch_count && !t->lost; i++) {
        const bool found = find_batch(t, q->addresses + i * q->batch_length);
        t->counts->samples += found;
        t->counts->unmapped += !found;
        if (found && !stream_add(&t->made, t->batch))
            return false;
    }
    return !t->lost;
}

enum status import_steps(struct import_result *out, const struct import_steps *steps,
                         struct error *e) {
    *out = (struct import_result){0};
    struct taking t = {.steps = steps,
                       .counts = &out->counts,
                       .made.stream = {.batch_length = steps->batch_length, .by_timer = true},
                       .batch = calloc(steps->batch_length + 1, sizeof *t.batch)};
    enum status status = STATUS_OK;
    if (t.batch == NULL || !add_maps(&t) || !take_all(&t))
        status = error_set(e, STATUS_MEMORY, "%s: out of memory", steps->program);
    if (status == STATUS_OK && out->counts.samples == 0)
        status = error_set(e, STATUS_UNSUPPORTED,
                           "%s: none of %zu samples is in its own code: let it work longer, sample "
                           "more often (--interval-ms), or take its libraries, too (--libraries)",
                           steps->program, steps->batch_count);
    if (status == STATUS_OK) {
        struct file_view file;
        out->stream = stream_made(&t.made);
        /* How much was executed is unknown. With the number of samples instead, counts are in
         * samples. */
        out->stream.population = out->stream.executed =
            stream_samples(&out->stream, out->stream.batch_count);
        status = file_view_path(&file, steps->program, (size_t)1 << 31, e);
        if (status == STATUS_OK) {
            sha1_hex(file.at, file.len, out->stream.program);
            file_view_free(&file);
        }
    }
    if (status != STATUS_OK)
        import_free(out);
    stream_unmake(&t.made);
    free(t.batch);
    code_free(&t.code);
    return status;
}
