# The database's disk fills up or is read-only: if this fails, a sweep ends without an error message, or
# loses finished results.
set -eu
. "$(dirname "$0")/../lib.sh"
. "$(dirname "$0")/../sweep_lib.sh"

# A read-only folder: root may always write, so the test becomes another user.
mkdir closed
chmod 755 "$work" closed
as=
if test "$(id -u)" = 0; then
    as="setpriv --reuid=65534 --regid=65534 --clear-groups"
    # This needs a user who can read the program and the tree.
    $as "$hotgraph" --version >/dev/null 2>&1 &&
        $as test -r "$source/tests/data/gfcgaussiano/overlap-a.isampling.gz" || as=none
fi
if test "$as" = none; then
    echo "not tested: folders that may not be written (nobody may not come here)"
else
    status=0
    test -n "$as" || chmod 555 closed
    $as "$hotgraph" sweep experiment.cfg --db closed/x.db >/dev/null 2>errors || status=$?
    chmod 755 closed
    test $status = 1 || fail "status $status in a closed folder: $(cat errors)"
    grep -q 'closed/x.db: cannot be opened' errors || fail "$(cat errors)"
    sweep experiment.cfg --db closed/x.db --games one
    chmod 444 closed/x.db
    status=0
    $as "$hotgraph" sweep experiment.cfg --db closed/x.db >/dev/null 2>errors || status=$?
    test $status = 1 || fail "status $status with a read-only file: $(cat errors)"
    grep -q 'closed/x.db: may not be written' errors || fail "$(cat errors)"
    # Nothing to write is no error.
    $as "$hotgraph" sweep experiment.cfg --db closed/x.db --games one >out 2>errors ||
        fail "reading a read-only database: $(cat errors)"
fi

sweep experiment.cfg --db whole.db
expected=$digest
mkdir small
mount -t tmpfs -o size=300k tmpfs small 2>/dev/null || skip "mounting a small tmpfs is not allowed"
cleanup() { umount "$work/small" 2>/dev/null || :; }
refuses 1 'small/x.db: the disk is full' sweep experiment.cfg --db small/x.db
mount -o remount,size=20m small
# The file stays as after the last commit, or does not exist if nothing was committed.
test ! -e small/x.db || test "$(ask small/x.db 'PRAGMA integrity_check')" = ok || fail "integrity"
sweep experiment.cfg --db small/x.db
test "$digest" = "$expected" || fail "after the full disk: $digest, not $expected"
