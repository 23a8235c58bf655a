#include "engines.h"

#include <string.h>

#include "dbt/dbt.h"

const char *const engine_names[] = {"interp", "dbt", "auto", NULL};

enum status engine_find(const struct engine **out, const char *name, struct error *e) {
    const struct engine *const translator = dbt_engine();
    *out = &engine_interpreter;
    if (name != NULL && strcmp(name, "interp") == 0)
        return STATUS_OK;
    if (translator != NULL)
        *out = translator;
    else if (name != NULL && strcmp(name, "dbt") == 0)
        return error_set(e, STATUS_UNSUPPORTED,
                         "--engine dbt: the translator makes x86-64 code only, and this processor "
                         "is another; --engine auto takes the interpreter here");
    return STATUS_OK;
}
