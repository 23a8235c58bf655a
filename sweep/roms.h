/* roms: ROMs in a folder, found by what they are and not by what they are called. */
#ifndef HOTGRAPH_ROMS_H
#define HOTGRAPH_ROMS_H

#include "base/base.h"

struct rom_wish {
    const char *sha1; /* of PRG and CHR without the header, lower-case hex */
    char *path;       /* filled: the caller frees it; stays NULL where there is none */
};

/* Looks through the .nes files of the folder and those below it, in the order of their names. A
 * folder that is not there has no ROMs; files that cannot be read as one are passed over. */
enum status roms_find(const char *folder, struct rom_wish *wishes, size_t count, struct error *e);

/* Where to look: $HOTGRAPH_ROMS, else what the configuration says, else "roms". */
const char *roms_folder(const char *configured);

#endif
