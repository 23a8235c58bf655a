/* Scripts whose interpreter env(1) finds. */
#ifndef HOTGRAPH_NATIVE_SCRIPT_H
#define HOTGRAPH_NATIVE_SCRIPT_H

#include "base/base.h"

/* What follow_env() puts into argv; the caller keeps it until the program has run. */
struct native_script {
    char line[1024];  /* words of "#!/usr/bin/env X A B", NUL after each */
    VEC(char *) argv; /* X A B SCRIPT ARGUMENTS, ends with NULL */
};

/* env(1) would start the interpreter without probes. So start what it would start: of
 * "#!/usr/bin/env X" the program X with the script as its argument. Other uses of env(1), with
 * variables or options, are refused. *path and *argv change if the program is such a script. */
enum status native_follow_env(struct native_script *s, char path[4096], char ***argv,
                              struct error *e);

#endif
