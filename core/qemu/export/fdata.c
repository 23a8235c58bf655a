#include "qemu/export/fdata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "graph/layout/layout.h"
#include "qemu/images/elf_functions.h"

struct fdata {
    const struct fdata_request *request;
    struct elf_functions functions;
    struct layout_weighing weights;
    uint32_t base;
    uint64_t end; /* of the file's code addresses, exclusive */
    bool *named;  /* for each function: does a line name it? */
    struct fdata_counts *counts;
    struct file_writer *file;
};

/* ---- the file's image ---- */

static enum status find_image(struct fdata *f, struct error *e) {
    const struct structure *s = f->request->structure;
    char hash[33];
    if (s->image_count == 0 || s->shapes.blocks == NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "the structure does not say which files were executed: make it with "
                         "'record --structure'");
    enum status status = hash_file(f->request->elf, hash, e);
    if (status != STATUS_OK)
        return status;
    size_t found = 0;
    while (found < s->image_count && strcmp(s->images[found].hash, hash) != 0)
        found++;
    if (found == s->image_count)
        return error_set(
            e, STATUS_ARGUMENT,
            "%s is not one of the files that were executed (%s%s), or has changed since",
            f->request->elf, s->images[0].path, s->image_count > 1 ? ", ..." : "");
    f->base = s->images[found].base;
    f->end = UINT64_C(1) << 32;
    for (size_t i = s->shapes.region_count; i > 0; i--)
        if (s->shapes.regions[i - 1].base > f->base)
            f->end = s->shapes.regions[i - 1].base;
    return STATUS_OK;
}

/* ---- lines ---- */

/* Blanks and backslashes are written with a backslash, as perf2bolt does. */
static void write_name(struct file_writer *w, const char *name) {
    for (; *name != '\0'; name++) {
        if (*name == ' ' || *name == '\\')
            file_write(w, "\\", 1);
        file_write(w, name, 1);
    }
}

struct fdata_place {
    const struct elf_function *function; /* NULL: outside all functions of the file */
    uint64_t offset;                     /* within the function */
    bool inside;                         /* is the address in the file? */
};

static struct fdata_place place_of(const struct fdata *f, uint32_t address) {
    struct fdata_place place = {.inside = address >= f->base && address < f->end};
    if (place.inside)
        place.function = elf_functions_at(&f->functions, address - f->base);
    if (place.function != NULL)
        place.offset = address - f->base - place.function->start;
    return place;
}

static void write_place(struct fdata *f, const struct fdata_place *place) {
    if (place->function == NULL) {
        file_printf(f->file, "0 [unknown] 0");
        return;
    }
    bool *named = &f->named[place->function - f->functions.list.at];
    f->counts->functions += !*named;
    *named = true;
    file_printf(f->file, "1 ");
    write_name(f->file, place->function->name);
    file_printf(f->file, " %" PRIx64, place->offset);
}

/* The counter of the reason for which an edge is left out; NULL: the edge is written. */
static uint64_t *left_out(const struct fdata *f, const struct fdata_place *from,
                          const struct fdata_place *to, enum block_end end, uint64_t weight) {
    const bool within = from->function != NULL && from->function == to->function;
    if (end == END_OTHER)
        return &f->counts->returns;
    if (end == END_INDIRECT && from->function != NULL)
        return &f->counts->indirect;
    if (to->function == NULL || (!within && to->offset != 0) ||
        (end == END_CALL && to->offset != 0))
        return &f->counts->nameless;
    if ((unsigned __int128)weight * 1000000 < (unsigned __int128)f->weights.all * f->request->rare)
        return &f->counts->rare;
    return NULL;
}

static void write_edges(struct fdata *f) {
    const struct graph *g = &f->request->structure->graph;
    for (size_t i = 0, b = 0; i < g->edge_count; i++) {
        while (g->blocks[b].entry < g->edges[i].source)
            b++; /* both are sorted, and every edge has its source block */
        const uint64_t weight = f->weights.edges[i];
        const struct fdata_place from = place_of(f, g->blocks[b].last),
                                 to = place_of(f, g->edges[i].target);
        if (weight == 0 || (!from.inside && !to.inside))
            continue;
        const enum block_end end = f->request->structure->shapes.blocks[b].end;
        uint64_t *reason = left_out(f, &from, &to, end, weight);
        if (reason != NULL) {
            ++*reason;
            continue;
        }
        write_place(f, &from);
        file_printf(f->file, " ");
        write_place(f, &to);
        file_printf(f->file, " 0 %" PRIu64 "\n", weight);
        f->counts->lines++;
    }
}

static enum status weigh(struct fdata *f, struct error *e) {
    const struct structure *s = f->request->structure;
    const struct layout_program program = shapes_program(&s->shapes, &s->graph);
    enum status status =
        layout_weigh(&f->weights, &program, f->request->graph, f->request->inferred, e);
    if (status != STATUS_OK)
        return status;
    f->counts->lost = f->weights.lost_edges;
    f->named = calloc(f->functions.list.len + 1, sizeof *f->named);
    return f->named != NULL ? STATUS_OK : error_set(e, STATUS_MEMORY, "out of memory");
}

enum status fdata_write(const struct fdata_request *request, const char *path,
                        struct fdata_counts *out, struct error *e) {
    struct fdata f = {.request = request, .counts = out};
    *out = (struct fdata_counts){0};
    enum status status = find_image(&f, e);
    if (status == STATUS_OK)
        status = elf_functions_read(&f.functions, request->elf, e);
    if (status == STATUS_OK)
        status = weigh(&f, e);
    if (status == STATUS_OK)
        status = path != NULL ? file_open(&f.file, path, e)
                              : file_open_fd(&f.file, STDOUT_FILENO, "standard output", e);
    if (status == STATUS_OK) {
        write_edges(&f);
        status = file_commit(f.file, e);
    }
    free(f.weights.edges);
    free(f.named);
    elf_functions_free(&f.functions);
    return status;
}
