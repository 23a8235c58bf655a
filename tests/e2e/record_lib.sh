# Shared by the tests of recording: they need QEMU on x86-64, and work in a folder of their own.
. "$(dirname "$0")/../lib.sh"
command -v qemu-x86_64 >/dev/null && test "$(uname -m)" = x86_64 || skip "no qemu-x86_64"
cd "$work"
