/* Writes a graph as callgrind.out ("Callgrind Format Specification" in valgrind's manual): a cost
 * for each instruction, jumps within functions, and calls between functions. functions.h supplies
 * the names. Positions are file offsets; in most programs these are the addresses that objdump
 * prints. */
#include "qemu/export/formats.h"

#include <inttypes.h>
#include <math.h>

struct writing {
    const struct structure *s;
    const struct functions *f;
    struct file_writer *file;
    size_t image; /* that the last "ob=" named */
};

static void write_object(struct writing *w, const char *key, size_t image) {
    file_printf(w->file, "%s=(%zu) %s\n", key, image == SIZE_MAX ? 0 : image + 1,
                image == SIZE_MAX ? "code" : w->s->images[image].path);
}

static void write_call(struct writing *w, const struct function *from, size_t callee, uint32_t at,
                       uint32_t target, uint64_t count) {
    const struct function *to = &w->f->list[callee];
    if (to->image != from->image)
        write_object(w, "cob", to->image);
    file_printf(w->file, "cfn=(%zu) %s\ncalls=%" PRIu64 " 0x%" PRIx32 "\n0x%" PRIx32 " %.0f\n",
                callee + 1, to->name, count, functions_offset(w->s, to, target), at,
                fmin((double)count * to->inclusive, (double)w->f->total));
}

static void write_edges(struct writing *w, const struct function *from, size_t b) {
    const struct graph *g = &w->s->graph;
    const struct block *block = &g->blocks[b];
    const uint32_t at = functions_offset(w->s, from, block->last);
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
            file_printf(w->file, "jcnd=%" PRIu64 "/%" PRIu64 " 0x%" PRIx32 "\n0x%" PRIx32 "\n",
                        count, w->f->executed[b], functions_offset(w->s, from, edge->target), at);
        else if (end == END_JUMP || end == END_INDIRECT)
            file_printf(w->file, "jump=%" PRIu64 " 0x%" PRIx32 "\n0x%" PRIx32 "\n", count,
                        functions_offset(w->s, from, edge->target), at);
    }
}

static void write_block(struct writing *w, const struct function *of, size_t b) {
    const struct structure *s = w->s;
    for (size_t i = s->first[b]; i < s->first[b + 1]; i++)
        file_printf(w->file, "0x%" PRIx32 " %" PRIu64 "\n", functions_offset(s, of, s->insns[i]),
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
            file_printf(w->file, "fl=(1) ???\nfn=(%zu) %s\n", number + 1, of->name);
            current = number;
        }
        write_block(w, of, b);
    }
}

void callgrind_write(struct file_writer *file, const struct structure *s,
                     const struct functions *f) {
    struct writing w = {.s = s, .f = f, .file = file};
    file_printf(file,
                "# callgrind format\nversion: 1\ncreator: hotgraph\npid: 0\ncmd: %s\npart: 1\n\n"
                "positions: instr\nevents: Ir\nsummary: %" PRIu64 "\n\n",
                s->image_count > 0 ? s->images[0].path : s->graph.program, f->total);
    write_functions(&w);
    file_printf(file, "\ntotals: %" PRIu64 "\n", f->total);
}
