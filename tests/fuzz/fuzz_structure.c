/* Any bytes as a structure: refused with a sentence that names the file, or one whose blocks and
 * instructions can be looked up. */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "profile/structure/structure.h"

static void look_up(const struct structure *s) {
    struct insn_place *places;
    struct error e = {0};
    if (structure_places(&places, s, &e) != STATUS_OK)
        abort();
    for (size_t i = 0; i < structure_insn_count(s); i++)
        if (structure_block_of(places, structure_insn_count(s), s->insns[i]) >=
            s->graph.block_count)
            abort();
    free(places);
}

/* Code with any structure can be laid out. */
static void lay_out(const struct structure *s, const struct graph *g) {
    struct worth_reference *r;
    struct worth w;
    struct error e = {0};
    if (s->shapes.blocks == NULL)
        return;
    const struct layout_program program = shapes_program(&s->shapes, &s->graph);
    if (worth_reference_new(&r, &program, g, &e) != STATUS_OK ||
        worth_compare(r, &w, g, &e) != STATUS_OK)
        abort();
    worth_reference_free(r);
}

static void try_without_memory(const char *path) {
    for (unsigned nth = 1; fuzz_fail_allocation(nth); nth = fuzz_later(nth)) {
        struct structure s;
        struct error e = {0};
        enum status status = structure_read(&s, path, &e);
        bool failed = fuzz_allocation_failed();
        structure_free(&s);
        if (!failed)
            return;
        if (status != STATUS_MEMORY)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct structure s;
    struct error e = {0};
    if (structure_parse(&s, (const char *)data, size, "fuzz", &e) == STATUS_OK) {
        look_up(&s);
        lay_out(&s, &s.graph);
    } else if (s.graph.blocks != NULL || strncmp(e.text, "fuzz:", 5) != 0) {
        abort();
    }
    structure_free(&s);
    if (fuzz_thorough() && size <= FUZZ_SHORT)
        try_without_memory(fuzz_file("fuzz.structure", data, size));
    return 0;
}
