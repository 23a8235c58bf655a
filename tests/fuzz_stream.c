/* Any bytes as a sample stream: refused with a sentence that names file and line, or a stream that
 * every technique works on. */
#include <stdlib.h>
#include <string.h>

#include "profile/profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_techniques(const struct stream *s) {
    size_t count;
    const struct technique *const *all = techniques(&count);
    for (size_t i = 0; i < count; i++) {
        if (all[i]->build == NULL)
            continue;
        struct error e = {0};
        struct profile p;
        /* Small values, so that short inputs reach far into the algorithms. */
        const int64_t values[TECHNIQUE_PARAMETERS] = {2, 5, 1, 0, 0, 0, 0, 0};
        if (all[i]->build(&p, s, SIZE_MAX, values, &e) != STATUS_OK)
            abort();
        for (size_t k = 0; k < p.graph.edge_count; k++)
            if (graph_find_block(&p.graph, p.graph.edges[k].source) == NULL ||
                graph_find_block(&p.graph, p.graph.edges[k].target) == NULL)
                abort();
        profile_free(&p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct stream s;
    struct error e = {0}, warning = {0};
    if (stream_parse(&s, (const char *)data, size, "fuzz.isampling", &warning, &e) != STATUS_OK) {
        if (s.samples != NULL || strncmp(e.text, "fuzz.isampling:", 15) != 0)
            abort();
        return 0;
    }
    try_techniques(&s);
    stream_free(&s);
    return 0;
}
