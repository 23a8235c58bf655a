/* Writes a graph as callgrind.out ("Callgrind Format Specification" in valgrind's manual): a cost
 * for each instruction, jumps within functions, and calls between functions. functions.h supplies
 * the names. Positions are the addresses that objdump prints; of a file that is not here, offsets in
 * it. */
#include "qemu/export/formats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "qemu/images/segments.h"

struct writing {
    const struct structure *s;
    const struct functions *f;
    struct file_writer *file;
    struct file_view *images;
    bool *named_images, *named_functions; /* the first one is of no image; in the file already */
    size_t image;                         /* that the last "ob=" named */
};

/* A name is written once; after that its number stands for it. */
static void write_name(struct writing *w, const char *key, size_t number, const char *name,
                       bool *named) {
    file_printf(w->file, *named ? "%s=(%zu)\n" : "%s=(%zu) %s\n", key, number, name);
    *named = true;
}

static void write_object(struct writing *w, const char *key, size_t image) {
    const size_t number = image == SIZE_MAX ? 0 : image + 1;
    write_name(w, key, number, number == 0 ? "code" : w->s->images[image].path,
               &w->named_images[number]);
}

static void write_function(struct writing *w, const char *key, size_t number) {
    write_name(w, key, number + 1, w->f->list[number].name, &w->named_functions[number]);
}

static uint64_t position(const struct writing *w, const struct function *of, uint32_t address) {
    const uint32_t offset = functions_offset(w->s, of, address);
    uint64_t found = offset;
    if (of->image != SIZE_MAX && !elf_address(&w->images[of->image], offset, &found))
        found = offset;
    return found;
}

static void write_call(struct writing *w, const struct function *from, size_t callee, uint64_t at,
                       uint32_t target, uint64_t count) {
    const struct function *to = &w->f->list[callee];
    if (to->image != from->image)
        write_object(w, "cob", to->image);
    write_function(w, "cfn", callee);
    file_printf(w->file, "calls=%" PRIu64 " 0x%" PRIx64 "\n0x%" PRIx64 " %.0f\n", count,
                position(w, to, target), at,
                fmin((double)count * to->inclusive, (double)w->f->total));
}

static void write_edges(struct writing *w, const struct function *from, size_t b) {
    const struct graph *g = &w->s->graph;
    const struct block *block = &g->blocks[b];
    const uint64_t at = position(w, from, block->last);
    const uint32_t next = block->entry + w->s->shapes.blocks[b].size;
    const enum block_end end = w->s->shapes.blocks[b].end;
    for (size_t i = w->f->first_edge[b]; i < w->f->first_edge[b + 1]; i++) {
        const struct edge *edge = &g->edges[i];
        const uint64_t count = w->f->edges[i];
        const struct block *to = graph_find_block(g, edge->target);
        if (count == 0 || to == NULL)
            continue;
        const size_t callee = w->f->of_block[to - g->blocks];
        if (functions_is_call(w->f, w->s, b, callee))
            write_call(w, from, callee, at, edge->target, count);
        else if (end == END_BRANCH && edge->target != next)
            file_printf(w->file, "jcnd=%" PRIu64 "/%" PRIu64 " 0x%" PRIx64 "\n0x%" PRIx64 "\n",
                        count, w->f->executed[b], position(w, from, edge->target), at);
        else if (end == END_JUMP || end == END_INDIRECT)
            file_printf(w->file, "jump=%" PRIu64 " 0x%" PRIx64 "\n0x%" PRIx64 "\n", count,
                        position(w, from, edge->target), at);
    }
}

static void write_block(struct writing *w, const struct function *of, size_t b) {
    const struct structure *s = w->s;
    for (size_t i = s->first[b]; i < s->first[b + 1]; i++)
        file_printf(w->file, "0x%" PRIx64 " %" PRIu64 "\n", position(w, of, s->insns[i]),
                    w->f->executed[b]);
    write_edges(w, of, b);
}

static void write_functions(struct writing *w) {
    size_t current = SIZE_MAX;
    for (size_t i = 0; i < w->s->graph.block_count; i++) {
        const size_t b = w->f->order[i], number = w->f->of_block[b];
        const struct function *of = &w->f->list[number];
        if (w->f->executed[b] == 0)
            continue;
        if (number != current) {
            file_printf(w->file, "\n");
            if (current == SIZE_MAX || of->image != w->image)
                write_object(w, "ob", of->image);
            w->image = of->image;
            file_printf(w->file, current == SIZE_MAX ? "fl=(1) ???\n" : "fl=(1)\n");
            write_function(w, "fn", number);
            current = number;
        }
        write_block(w, of, b);
    }
}

static void open_images(struct writing *w) {
    for (size_t i = 0; i < w->s->image_count; i++)
        if (file_view_path(&w->images[i], w->s->images[i].path, SIZE_MAX, NULL) != STATUS_OK)
            w->images[i] = (struct file_view){0};
}

static void writing_free(struct writing *w) {
    for (size_t i = 0; w->images != NULL && i < w->s->image_count; i++)
        file_view_free(&w->images[i]);
    free(w->images);
    free(w->named_images);
    free(w->named_functions);
}

enum status callgrind_write(struct file_writer *file, const struct structure *s,
                            const struct functions *f, size_t program, struct error *e) {
    struct writing w = {.s = s,
                        .f = f,
                        .file = file,
                        .images = calloc(s->image_count + 1, sizeof *w.images),
                        .named_images = calloc(s->image_count + 1, sizeof *w.named_images),
                        .named_functions = calloc(f->count + 1, sizeof *w.named_functions)};
    if (w.images == NULL || w.named_images == NULL || w.named_functions == NULL) {
        writing_free(&w);
        return error_set(e, STATUS_MEMORY, "out of memory");
    }
    open_images(&w);
    file_printf(file,
                "# callgrind format\nversion: 1\ncreator: hotgraph\npid: 0\ncmd: %s\npart: 1\n\n"
                "positions: instr\nevents: Ir\nsummary: %" PRIu64 "\n\n",
                program < s->image_count ? s->images[program].path
                : s->image_count > 0     ? s->images[0].path
                                         : s->graph.program,
                f->total);
    write_functions(&w);
    file_printf(file, "\ntotals: %" PRIu64 "\n", f->total);
    writing_free(&w);
    return STATUS_OK;
}
