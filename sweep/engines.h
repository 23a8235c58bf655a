/*
 * engines: which engine runs a machine, and how, as --engine says it:
 *
 *     interp                              the interpreter
 *     dbt, dbt:OPTION[=VALUE],...         the translator, and ways of translating
 *     auto                                the translator where there can be one
 *
 *     struct engine_choice choice = {0};  // auto
 *     const struct option_spec options[] = {engine_option(&choice), {0}};
 *     ...
 *     engine_create(&nes, &choice, &(struct nes_options){.cartridge = cartridge}, &e);
 */
#ifndef HOTGRAPH_ENGINES_H
#define HOTGRAPH_ENGINES_H

#include "dbt/dbt.h"
#include "sweep/options.h"

/* Zero is auto. */
struct engine_choice {
    enum engine_kind { ENGINE_AUTO, ENGINE_INTERP, ENGINE_DBT } kind;
    struct dbt_options translator; /* of dbt; what is zero is the usual */
};

/* STATUS_ARGUMENT when `text` is none, with a message to stand behind "--engine ", and *out as it
 * was. */
enum status engine_parse(struct engine_choice *out, const char *text, struct error *e);
/* The row of a command's options that stores into *to. */
struct option_spec engine_option(struct engine_choice *to);

/* nes_create() with the engine that was chosen; nes_engine() tells which that is. Without a
 * translator (another processor; no memory to be had that can be executed) auto takes the
 * interpreter, and dbt is an error that says what is missing. */
enum status engine_create(struct nes **out, const struct engine_choice *choice,
                          const struct nes_options *options, struct error *e);

#endif
