# What the tests of recording share: QEMU on x86-64, and a folder of their own to work in.
. "$(dirname "$0")/../lib.sh"
command -v qemu-x86_64 >/dev/null && test "$(uname -m)" = x86_64 || skip "no qemu-x86_64"
cd "$work"
