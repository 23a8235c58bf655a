/* The table of techniques, which the build generates. technique.c has the code that all of them
 * share. */
#include "profile/profile.h"

#include <string.h>

#define TECHNIQUE(name) extern const struct technique technique_##name;
#include "technique_list.h"
#undef TECHNIQUE

#define TECHNIQUE(name) &technique_##name,
static const struct technique *const list[] = {
#include "technique_list.h"
};
#undef TECHNIQUE

enum { COUNT = sizeof list / sizeof list[0] };

const struct technique *const *techniques(size_t *count) {
    *count = COUNT;
    return list;
}

const struct technique *technique_find(const char *name) {
    for (size_t i = 0; i < COUNT; i++)
        if (strcmp(list[i]->name, name) == 0)
            return list[i];
    return NULL;
}
