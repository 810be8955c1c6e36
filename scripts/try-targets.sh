#!/bin/sh
# Tries the one file of each Linux target in a root with its C library, the loader, /tmp, /proc and /dev/null alone: pages, calls,
# stdio, a plugin that is made, tested, built and installed there. Programs for arm64 run in qemu. On Debian, as root:
#   npm run build && sh scripts/try-targets.sh dist [TARGET...]
# linux-arm64-musl is not among them, because Debian has no musl for it that is new enough.
# Takes musl's libstdc++ from a package of PyPI, because Debian has none. Needs qemu-user-static, python3 with pip, curl.
set -eu
dist=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- linux-x64 linux-x64-musl linux-arm64
work=$(mktemp -d)
chmod 755 "$work"
trap 'pkill -KILL -f "serve --port $port"; rm -rf "$work"' EXIT
port=7493

dpkg --print-foreign-architectures | grep -qx arm64 || { dpkg --add-architecture arm64; apt-get update -qq; }
# Programs for arm64 that the hub starts run in qemu, too.
[ -e /proc/sys/fs/binfmt_misc/register ] || mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
[ -e /proc/sys/fs/binfmt_misc/qemu-aarch64 ] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >/proc/sys/fs/binfmt_misc/register

unpack() { # FOLDER PACKAGE...
  to=$1
  shift
  mkdir -p "$work/debs" "$to"
  for package in "$@"; do
    (cd "$work/debs" && chmod 777 . && apt-get download -qq "$package" 2>/dev/null)
    dpkg-deb -x "$(ls -t "$work"/debs/*.deb | head -1)" "$to"
  done
}

# The libraries that the program needs, and what these need.
lay_glibc() { # ROOT DEBIAN_ARCHITECTURE MULTIARCH LOADER
  unpack "$work/$2" "libc6:$2"
  mkdir -p "$1/lib/$3" "$1$(dirname "$4")"
  for library in libc.so.6 libpthread.so.0 libdl.so.2 libm.so.6; do
    cp -L "$work/$2/lib/$3/$library" "$1/lib/$3/"
  done
  cp -L "$work/$2/lib/$3/$(basename "$4")" "$1$4"
}
lay_musl() { # ROOT DEBIAN_ARCHITECTURE MACHINE
  # The musl of Debian 12, 1.2.3, is too old for the runtime.
  mkdir -p "$1/lib" "$work/musl-$2"
  curl -sfLo "$work/musl-$2.deb" "https://deb.debian.org/debian/pool/main/m/musl/musl_1.2.5-3_$2.deb"
  dpkg-deb -x "$work/musl-$2.deb" "$work/musl-$2"
  cp -L "$work/musl-$2/usr/lib/$3-linux-musl/libc.so" "$1/lib/ld-musl-$3.so.1"
  ln -s "ld-musl-$3.so.1" "$1/lib/libc.musl-$3.so.1"
  python3 -m pip download -q --no-deps --only-binary=:all: --platform "musllinux_1_2_$3" --python-version 312 \
    greenlet -d "$work/wheel-$2"
  python3 -m zipfile -e "$work/wheel-$2/"*.whl "$work/wheel-$2/files"
  cp "$work/wheel-$2/files/"*.libs/* "$1/lib/"
  ln -s "$(cd "$1/lib" && ls | grep '^libstdc++')" "$1/lib/libstdc++.so.6"
  ln -s "$(cd "$1/lib" && ls | grep '^libgcc_s')" "$1/lib/libgcc_s.so.1"
}

hub() {
  unshare --mount sh -c 'mount -t proc proc "$0/proc"; exec env -i HUB_DATA_DIR=/tmp/data /usr/sbin/chroot "$0" /hub "$@"' "$root" "$@"
}

# Reads standard input, and ends the script unless it has the text.
must() { # TEXT WHAT
  if grep -q -e "$1"; then echo "$2"; else echo "failed, not so: $2" >&2; exit 1; fi
}

for target in "$@"; do
  root="$work/root-$target"
  mkdir -p "$root/tmp" "$root/proc" "$root/dev"
  mknod "$root/dev/null" c 1 3
  case $target in
    linux-x64) lay_glibc "$root" amd64 x86_64-linux-gnu /lib64/ld-linux-x86-64.so.2 ;;
    linux-arm64) lay_glibc "$root" arm64 aarch64-linux-gnu /lib/ld-linux-aarch64.so.1 ;;
    linux-x64-musl) lay_musl "$root" amd64 x86_64 ;;
  esac
  cp "$(ls "$dist"/hub-*-"$target")" "$root/hub"
  echo "== $target: $(hub --version | head -1), with $(cd "$root" && find . -name '*.so*' | sort | tr '\n' ' ')"

  hub serve --port $port >"$work/serve.log" 2>&1 &
  for _ in $(seq 300); do
    # The last line of a first start.
    grep -q '/mcp -H' "$work/serve.log" && break
    sleep 0.2
  done
  curl -sf "http://127.0.0.1:$port/auth/login" | must '<html' 'page: shown'
  token=$(grep -o 'hub_pat_[0-9a-f]*' "$work/serve.log" | head -1)
  curl -sf "http://127.0.0.1:$port/mcp" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_list","arguments":{}}}' | must conn: 'call: answered'
  pkill -TERM -f "serve --port $port"
  wait

  initialize='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"try","version":"1"}}}'
  echo "$initialize" | hub mcp serve 2>/dev/null | must serverInfo 'stdio: answered'
  hub doctor | grep -E '^(ok|warn|fail) +plugin fence' || true
  hub wick plugin init tracker >/dev/null
  hub wick plugin test tracker 2>&1 | must ' 1 pass' 'plugin: tested'
  for form in --thin --no-compress; do
    archive=$(hub wick plugin build tracker $form 2>/dev/null | tail -1)
    hub plugin install "$archive" --replace >/dev/null
    hub row add tracker --label "Tracker $form" --tag everyone >/dev/null
    hub row test "Tracker $form" greet --param who=Ada | must 'Hello, Ada!' "plugin: $archive answered"
  done
  hub help plugin-protocol | head -1
done
