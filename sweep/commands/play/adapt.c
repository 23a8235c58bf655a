#include "commands/play/adapt.h"

#include "profile/live/live.h"

enum { CYCLES_A_SECOND = 1789773, USUAL_AFTER_MS = 10000, LONGEST_MS = 3600000 };

void adaptation_choose(struct adaptation *a, int argc, char **argv) {
    *a = (struct adaptation){.after_ms = USUAL_AFTER_MS};
    technique_choose_by(&a->choice, "adapt", argc, argv, "exact");
}

size_t adaptation_rows(struct adaptation *a, struct option_spec rows[ADAPTATION_ROWS]) {
    const struct technique *const t = a->choice.technique;
    size_t count = 0;
    rows[count] = technique_option(&a->choice);
    rows[count].value = "TECHNIQUE";
    rows[count++].help = "let this technique observe first, then translate the code that is hot in "
                         "its graph again, along the likeliest paths; only the run time changes";
    rows[count++] = (struct option_spec){"adapt-after",
                                         "S",
                                         "seconds of emulated time that it observes (default 10)",
                                         OPTION_THOUSANDTHS,
                                         .to = &a->after_ms,
                                         .least = 1,
                                         .most = LONGEST_MS,
                                         .given = &a->after_given};
    if (t == NULL)
        return count;
    for (size_t i = 0; a->choice.rows[i].name != NULL; i++)
        rows[count++] = a->choice.rows[i];
    if (!adaptation_samples(a))
        return count;
    sampling_rows(&a->sampling, rows + count);
    return count + SAMPLING_ROWS;
}

bool adaptation_samples(const struct adaptation *a) {
    return a->choice.technique != NULL && a->choice.technique->attach == NULL;
}

bool adaptation_chosen(struct adaptation *a, const char *command) {
    if (a->choice.technique == NULL) {
        if (a->after_given)
            usage_error(command, "--adapt-after needs --adapt TECHNIQUE, which is missing");
        return !a->after_given;
    }
    if (adaptation_samples(a) && !sampling_chosen(&a->sampling, command))
        return false;
    technique_chosen(&a->choice);
    return true;
}

static enum status attach_samples(struct adaptation *a, struct play *p, struct error *e) {
    struct live_options o = {.technique = a->choice.technique,
                             .values = a->choice.values,
                             .sampling = a->sampling.sampler};
    if (a->sampling.structure != NULL) {
        const enum status status = structure_read(&a->structure, a->sampling.structure, e);
        if (status != STATUS_OK)
            return status;
        o.sampling.structure = &a->structure;
    }
    return live_attach(&a->live, p->nes, &o, e);
}

enum status adaptation_begin(struct adaptation *a, struct play *p, struct error *e) {
    const struct technique *const t = a->choice.technique;
    struct dbt_statistics translation;
    if (t == NULL)
        return STATUS_OK;
    if (!play_translation(p, &translation))
        return error_set(e, STATUS_ARGUMENT,
                         "--adapt is for the translator, and the interpreter runs here");
    a->until = nes_cycle(p->nes) + a->after_ms * CYCLES_A_SECOND / 1000;
    return t->attach != NULL ? t->attach(&a->self, p->nes, a->choice.values, e)
                             : attach_samples(a, p, e);
}

static enum status found(struct adaptation *a, struct profile *out, struct error *e) {
    enum status status;
    if (a->live != NULL)
        status = live_finish(a->live, out, NULL, e);
    else
        status = a->choice.technique->finish(a->self, out, e);
    a->live = NULL;
    a->self = NULL;
    return status;
}

enum status adaptation_after_frame(struct adaptation *a, struct play *p, struct error *e) {
    struct profile profile = {0};
    if ((a->live == NULL && a->self == NULL) || nes_cycle(p->nes) < a->until)
        return STATUS_OK;
    enum status status = found(a, &profile, e);
    if (status == STATUS_OK)
        status = likely_paths_of(&a->likely, &profile.graph, e);
    if (status == STATUS_OK)
        status = dbt_use_profile(p->nes, &a->likely.profile, e);
    a->adapted = status == STATUS_OK;
    profile_free(&profile);
    return status;
}

void adaptation_end(struct adaptation *a) {
    live_abandon(a->live);
    if (a->self != NULL)
        a->choice.technique->abandon(a->self);
    a->live = NULL;
    a->self = NULL;
    structure_free(&a->structure);
}

void adaptation_free(struct adaptation *a) {
    likely_paths_free(&a->likely);
}
