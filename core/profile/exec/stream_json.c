/* Streams as JSON lines, for programs in languages that read these more easily than columns. The
 * first line describes the stream, each further one is a batch; docs/formats.md lists the
 * members. */
#include "profile/exec/exec.h"

#include <inttypes.h>

static const char *kind_of(const struct sample *s) {
    switch ((enum insn_kind)s->kind) {
    case INSN_BRANCH:
        return "branch";
    case INSN_JUMP:
        return "jump";
    case INSN_CALL:
        return "call";
    case INSN_JUMP_INDIRECT:
        return "jump indirect";
    case INSN_RETURN:
        return "return";
    case INSN_RTI:
        return "interrupt return";
    case INSN_BRK:
        return "break";
    case INSN_JAM:
        return "jam";
    default:
        return "plain";
    }
}

static void put_number(struct file_writer *w, const char *name, uint64_t value) {
    if (value == 0)
        file_printf(w, ", \"%s\": null", name);
    else
        file_printf(w, ", \"%s\": %" PRIu64, name, value);
}

static void put_head(struct file_writer *w, const struct stream *s, size_t batches) {
    file_printf(w, "{\"batches\": %zu, \"batch_length\": %zu, \"of\": \"%s\", \"active\": %s",
                batches, s->batch_length,
                s->of == STREAM_OF_TRANSFERS  ? "transfers"
                : s->of == STREAM_OF_BRANCHES ? "branches"
                                              : "instructions",
                s->active ? "true" : "false");
    put_number(w, "population", s->population);
    put_number(w, "executed", s->executed);
    file_printf(w, ", \"program\": \"%s\"}\n", s->program);
}

static void put_sample(struct file_writer *w, const struct sample *s) {
    file_printf(w, "[%" PRIu32 ", %u, \"%s\"", s->pc, s->size, kind_of(s));
    if (s->kind == INSN_BRANCH || s->kind == INSN_JUMP || s->kind == INSN_CALL)
        file_printf(w, ", %" PRIu32, s->target);
    file_write(w, "]", 1);
}

enum status stream_write_json(const struct stream *s, size_t batches, const char *path,
                              struct error *e) {
    struct file_writer *w;
    const enum status status = file_open(&w, path, e);
    if (status != STATUS_OK)
        return status;
    put_head(w, s, batches);
    for (size_t i = 0; i < batches; i++) {
        const struct sample *batch = stream_batch(s, i);
        file_printf(w, "{\"batch\": %zu, ", i);
        if (s->cycles != NULL)
            file_printf(w, "\"cycles\": %u, ", s->cycles[i]);
        file_printf(w, "\"samples\": [");
        for (size_t k = 0; k < stream_batch_length(s, i); k++) {
            file_printf(w, "%s", k > 0 ? ", " : "");
            put_sample(w, &batch[k]);
        }
        file_printf(w, "]}\n");
    }
    return file_commit(w, e);
}
