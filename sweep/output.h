/* output: pieces of what commands print. */
#ifndef HOTGRAPH_OUTPUT_H
#define HOTGRAPH_OUTPUT_H

#include <stdint.h>

#include "dbt/dbt.h"

/* Prints s as a JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void print_json_string(const char *s);
/* Prints what the translator has done as a JSON object. */
void print_translation(const struct dbt_statistics *s);

#endif
