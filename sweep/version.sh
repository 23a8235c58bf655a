#!/bin/sh
# Prints the commit that is being built: what the file COMMIT of a source archive says (make dist), else
# what git says, with -dirty where the tree was changed.
cd "$(dirname "$0")/.." || exit 1
if test -s COMMIT; then
    cat COMMIT
else
    git describe --always --dirty --abbrev=12 --exclude='*' 2>/dev/null || echo unknown
fi
