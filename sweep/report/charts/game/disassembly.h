/*
 * disassembly: the code of programs, from the files that they were recorded with. A file is used
 * only if its hash is the recorded one and it is an x86-64 ELF file. A code address is a file
 * offset plus the image's base, so only the first header is read. struct code_file file = {0}; char
 * *text = code_of_block(&file, "/usr/bin/gzip", hash, offset, length); free(text);
 * code_file_free(&file);
 */
#ifndef HOTGRAPH_REPORT_DISASSEMBLY_H
#define HOTGRAPH_REPORT_DISASSEMBLY_H

#include "base/base.h"

enum { CODE_AT_MOST = 12 }; /* instructions of a block */

/* The file that was used last. */
struct code_file {
    char *path;
    struct bytes bytes; /* empty: it is missing, or has changed */
};
void code_file_free(struct code_file *f);

/* The instructions at that offset of a file, up to the first transfer, at most `length` bytes and
 * CODE_AT_MOST instructions: "test eax, eax; jz +0x12". The caller frees it; NULL: the file cannot
 * be used, or out of memory. */
char *code_of_block(struct code_file *f, const char *path, const char *hash, uint64_t offset,
                    uint64_t length);

#endif
