#include "commands/profile/compare_worth.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "profile/structure/structure.h"

static enum status check(const struct structure *s, const char *path, const struct graph *h,
                         struct error *e) {
    if (s->shapes.blocks == NULL)
        return error_set(e, STATUS_ARGUMENT,
                         "%s: has no sizes of blocks, which a layout needs, since an earlier "
                         "version wrote it: write it again with 'structure' or 'record'",
                         path);
    if (s->graph.program[0] != '\0' && h->program[0] != '\0' &&
        strcmp(s->graph.program, h->program) != 0)
        return error_set(e, STATUS_ARGUMENT,
                         "%s belongs to another program (%.8s...) than the exact graph (%.8s...)",
                         path, s->graph.program, h->program);
    return STATUS_OK;
}

enum status worth_report(struct worth_report *out, const char *path, const struct graph *g,
                         const struct graph *h, struct error *e) {
    struct structure s;
    struct worth_reference *reference = NULL;
    enum status status = structure_read(&s, path, e);
    if (status != STATUS_OK)
        return status;
    status = check(&s, path, h, e);
    const struct layout_program program = shapes_program(&s.shapes, &s.graph);
    if (status == STATUS_OK)
        status = worth_reference_new(&reference, &program, h, e);
    if (status == STATUS_OK)
        status = worth_compare(reference, &out->found, g, e);
    if (status == STATUS_OK)
        out->exact = *worth_of_exact(reference);
    worth_reference_free(reference);
    structure_free(&s);
    return status;
}

static void print_row(const char *name, double a, double b) {
    printf("%-14s", name);
    if (isnan(a))
        printf("%10s", "-");
    else
        printf("%10.4f", a);
    if (isnan(b))
        printf("%10s\n", "-");
    else
        printf("%10.4f\n", b);
}

void worth_report_print(const struct worth_report *r) {
    const struct worth_variant *a = &r->found.as_found, *b = &r->found.inferred;
    printf("\nlaid out      as found  inferred\n");
    print_row("benefit", a->benefit, b->benefit);
    print_row("fall_share", a->fall_share, b->fall_share);
    print_row("hot_bytes", a->hot_bytes, b->hot_bytes);
    print_row("successor", a->successor, b->successor);
    print_row("lost", r->found.lost, r->found.lost);
    printf("blocks placed %10" PRIu64 "\n", r->found.placed);
    printf("\nexact           as it is laid out\n");
    print_row("fall_share", r->exact.fall_share_original, r->exact.fall_share_best);
    print_row("score", r->exact.score_original, r->exact.score_best);
}

static void print_variant(const char *name, const struct worth_variant *v) {
    printf(",\n  \"%s\": {", name);
    print_json_number("benefit", v->benefit);
    printf(", ");
    print_json_number("fall_share", v->fall_share);
    printf(", ");
    print_json_number("hot_bytes", v->hot_bytes);
    printf(", ");
    print_json_number("successor", v->successor);
    printf("}");
}

void worth_report_print_json(const struct worth_report *r) {
    printf(",\n \"worth\": {");
    print_json_number("lost", r->found.lost);
    printf(", \"placed\": %" PRIu64, r->found.placed);
    print_variant("as_found", &r->found.as_found);
    print_variant("inferred", &r->found.inferred);
    const struct worth_exact *x = &r->exact;
    printf(",\n  \"exact\": {\"local_weight\": %" PRIu64 ", \"layable_weight\": %" PRIu64,
           x->local_weight, x->layable_weight);
    const struct {
        const char *name;
        double value;
    } rows[] = {{"fall_share_original", x->fall_share_original},
                {"fall_share_best", x->fall_share_best},
                {"score_original", x->score_original},
                {"score_best", x->score_best}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        printf(", ");
        print_json_number(rows[i].name, rows[i].value);
    }
    printf("}}");
}
