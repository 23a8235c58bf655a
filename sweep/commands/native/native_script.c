#include "commands/native/native_script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/native/native_rows.h"

enum { WORDS = 64 };

/* Reads the words after "#!.../env" and "-S"; false: the file is no such script. */
static bool env_words(const char *path, struct native_script *out, char *words[WORDS],
                      size_t *count) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool read = fgets(out->line, sizeof out->line, file) != NULL;
    fclose(file);
    if (!read || strncmp(out->line, "#!", 2) != 0)
        return false;
    *count = 0;
    for (char *save, *word = strtok_r(out->line + 2, " \t\n", &save);
         word != NULL && *count < WORDS; word = strtok_r(NULL, " \t\n", &save))
        words[(*count)++] = word;
    const char *slash = *count > 1 ? strrchr(words[0], '/') : NULL;
    return slash != NULL && strcmp(slash + 1, "env") == 0;
}

enum status native_follow_env(struct native_script *s, char path[4096], char ***argv,
                              struct error *e) {
    char *words[WORDS], *script = strdup(path);
    size_t count, first = 1;
    if (script == NULL)
        return error_set(e, STATUS_MEMORY, "out of memory");
    if (!env_words(path, s, words, &count)) {
        free(script);
        return STATUS_OK;
    }
    first += strcmp(words[first], "-S") == 0;
    if (first >= count || words[first][0] == '-' || strchr(words[first], '=') != NULL) {
        error_set(e, STATUS_UNSUPPORTED,
                  "%s: is started by env with options or variables; name its interpreter, with the "
                  "script as argument",
                  path);
        free(script);
        return e->status;
    }
    bool enough = true;
    for (size_t i = first; i < count; i++)
        enough = enough && vec_push(&s->argv, words[i]);
    enough = enough && vec_push(&s->argv, script);
    for (char **word = *argv + 1; *word != NULL; word++)
        enough = enough && vec_push(&s->argv, *word);
    enough = enough && vec_push(&s->argv, NULL);
    if (!enough)
        return error_set(e, STATUS_MEMORY, "out of memory");
    *argv = s->argv.at;
    return native_find_program(words[first], path, 4096, e);
}
