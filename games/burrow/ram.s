; Exports the RAM map for the C files.
RAM_EXPORT = 1
.include "ram.inc"
