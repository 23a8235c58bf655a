#!/bin/sh
# docs/screenshot.sh [REPORT]: makes docs/report.png, the picture in README, of the top of a report's page (results/index.html of
# `make sweep`). Needs chromium; pngquant makes it smaller.
set -eu
report=$(realpath -- "${1:-results/index.html}")
out=$(cd "$(dirname "$0")" && pwd)/report.png
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking --disable-component-update \
    --disable-sync --hide-scrollbars --user-data-dir="$work/profile" --window-size=1200,900 --virtual-time-budget=5000 \
    --screenshot="$work/report.png" "file://$report" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
if command -v pngquant >/dev/null; then
    pngquant --force --output "$out" 64 "$work/report.png"
else
    cp "$work/report.png" "$out"
fi
