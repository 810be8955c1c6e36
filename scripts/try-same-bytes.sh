#!/bin/sh
# Builds the one file from two clones of HEAD in two folders, and compares the bytes: sh scripts/try-same-bytes.sh [TARGET...]
# The clones have their own packages, which npm installs.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -gt 0 ] || set -- linux-x64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for folder in one a/longer/path/two; do
  mkdir -p "$work/$(dirname "$folder")"
  git clone -q --no-hardlinks "$root" "$work/$folder"
  (cd "$work/$folder" && npm ci --silent --no-fund --no-audit && npm run -s build -- "$@")
done
cd "$work/one/dist"
for file in *; do
  cmp "$file" "$work/a/longer/path/two/dist/$file"
  echo "the same bytes: $file"
done
