#!/bin/sh
# Tries packages in a root made by debootstrap: installs the older one, starts its command as its user, upgrades to the
# newer one with the hub's data in place, removes and purges it. Needs root.
#   sh scripts/try-deb.sh hub_0.0.9_amd64.deb dist/hub_0.2.0_amd64.deb ROOT
# For an older one, check out an older commit, write another VERSION, and build it.
set -eu
older=$1
newer=$2
root=$3
[ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" >/dev/null
cp "$older" "$root/tmp/older.deb"
cp "$newer" "$root/tmp/newer.deb"
inside() { unshare --mount sh -c 'mount -t proc proc "$0/proc"; exec chroot "$0" "$@"' "$root" "$@"; }
step() { printf '%s\n' "== $*"; }

step install
inside dpkg -i /tmp/older.deb
test "$(stat -c '%a %U' "$root/etc/hub/hub.env")" = "600 root"
test "$(inside stat -c '%a %U' /var/lib/hub)" = "700 hub"
exec=$(sed -n 's/^ExecStart=//p' "$root/usr/lib/systemd/system/hub.service")

# As systemd starts it: the command of the unit, as its user, with its variables.
serve() {
  inside setpriv --reuid hub --regid hub --clear-groups env -i HUB_DATA_DIR=/var/lib/hub HUB_PORT=7491 $exec \
    >"$root/tmp/serve.log" 2>&1 &
  pid=$!
  for _ in $(seq 100); do
    if curl -sf http://127.0.0.1:7491/health; then echo; return; fi
    sleep 0.2
  done
  cat "$root/tmp/serve.log"; exit 1
}
stop() { pkill -TERM -f "^$exec" || true; wait "$pid" || true; }

step start
serve
stop
inside setpriv --reuid hub --regid hub --clear-groups env -i HUB_DATA_DIR=/var/lib/hub /usr/bin/hub user add ada@example.com

step upgrade
before=$(inside /usr/bin/hub --version | head -1)
echo "HUB_LOG_LEVEL=warn" >>"$root/etc/hub/hub.env"
# As unattended upgrades do, if a newer version has other comments in its settings.
inside dpkg --force-confold -i /tmp/newer.deb
grep -q HUB_LOG_LEVEL=warn "$root/etc/hub/hub.env"
test "$(inside /usr/bin/hub --version | head -1)" != "$before"
serve
stop
inside setpriv --reuid hub --regid hub --clear-groups env -i HUB_DATA_DIR=/var/lib/hub /usr/bin/hub user list | grep ada@example.com

step remove
inside dpkg -r hub
test -e "$root/var/lib/hub/hub.db" -o -n "$(ls -A "$root/var/lib/hub")"

step purge
inside dpkg -P hub
test ! -e "$root/var/lib/hub"
test ! -e "$root/etc/hub"
! inside getent passwd hub
step done
