#!/bin/sh
# Walks through the guides "On a server", "The hub as one file" and "Upgrade and go back" by their own lines, in a root of
# debootstrap without a network: the package behind nginx with TLS, the one file, an upgrade from an older package and back.
#   sh scripts/try-server-guide.sh DIST ROOT [OLDER.deb]
# DIST has the one file and the package (`npm run build -- --deb linux-x64`), OLDER.deb is built from an older commit. Needs root,
# debootstrap and, the first time, a mirror of Debian. systemctl and journalctl are those of try-server-guide/.
set -eu
if [ -z "${TRY_INSIDE:-}" ]; then
  root=$2
  if [ ! -e "$root/usr/bin/systemd-analyze" ]; then
    [ -e "$root/etc/debian_version" ] || debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >/dev/null
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
    DEBIAN_FRONTEND=noninteractive chroot "$root" sh -c \
      'apt-get update -q && apt-get install -y -q --no-install-recommends systemd nginx-light openssl curl sudo' >/dev/null
  fi
  # Its own network, in which the ports of the guide are free, and its own name of the hub.
  TRY_INSIDE=1 exec unshare --mount --net sh "$0" "$@"
fi

here=$(cd "$(dirname "$0")" && pwd)
guides=$here/../docs/guide
dist=$(cd "$1" && pwd)
root=$(cd "$2" && pwd)
older=${3:-}
version=$(cat "$here/../VERSION")
ip link set lo up
mount -t proc proc "$root/proc"
mount -t tmpfs tmpfs "$root/run"
mount --rbind /dev "$root/dev"
printf '127.0.0.1 localhost hub.example.com %s\n' "$(hostname)" >"$root/etc/hosts"
mount --bind "$root/etc/hosts" /etc/hosts
mkdir -p "$root/run/systemd/system" "$root/srv"
rm -rf "$root"/srv/* "$root/var/backups/hub" "$root/backups"
install -m 755 "$here/try-server-guide/systemctl" "$root/run/systemctl"
printf '#!/bin/sh\ncat /run/hub.log\n' >"$root/run/journalctl"
chmod 755 "$root/run/journalctl"
# Not in /usr/local/bin, which apt does not search.
for name in systemctl journalctl; do mount --bind "$root/run/$name" "$root/usr/bin/$name"; done
cp "$dist/hub_${version}_amd64.deb" "$dist/hub-$version-linux-x64" "$root/srv/"

# The first start is served a moment before its text is in the log.
await_log() { for _ in $(seq 50); do ! grep -q hub_pat_ "$root/run/hub.log" || return 0; sleep 0.2; done; }
step() { printf '%s\n' "== $*"; }
# Runs lines in the root, as an administrator types them.
inside() { echo "# $1"; printf '%s\n' "$1" | chroot "$root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  DEBIAN_FRONTEND=noninteractive sh -ec 'cd /srv; . /dev/stdin'; }
# The line or the part of a line of a guide, which is there once or more, always the same.
from() { # GUIDE REGEXP
  found=$(grep -oE -- "$2" "$guides/$1" | sort -u)
  [ "$(printf '%s\n' "$found" | grep -c .)" = 1 ] || { echo "$1 has no single \"$2\": $found" >&2; exit 1; }
  printf '%s\n' "$found" | sed "s/VERSION/$version/; s/NEWER/$version/; s/X\.Y\.Z/$version/"
}
block() { # GUIDE LANGUAGE TEXT: the block of the language whose first line matches
  awk -v open="\`\`\`$2" -v text="$3" '$0 == open { inside = 1; first = 1; next } $0 == "```" { inside = 0; taken = 0 }
    inside && first { taken = index($0, text) > 0; first = 0 } inside && taken' "$guides/$1"
}
purge() {
  inside 'systemctl stop hub; dpkg -P hub >/dev/null 2>&1 || true; rm -rf /var/lib/hub /etc/hub /run/hub.log'
}
end() {
  chroot "$root" systemctl stop hub || true
  chroot "$root" nginx -s stop 2>/dev/null || true
}
trap end EXIT
purge
rm -f "$root/etc/nginx/conf.d/hub.conf"
chroot "$root" nginx

step "on a server: the package"
inside "$(from on-a-server.md 'sudo apt install \./hub_VERSION_amd64\.deb')"
test "$(stat -c '%a %U' "$root/etc/hub/hub.env")" = "600 root"
inside "$(from on-a-server.md 'sudo systemctl enable --now hub\b' | head -1)"
await_log
inside "$(from on-a-server.md 'sudo journalctl -u hub -o cat \| head -30')" >"$root/srv/first-log"
cat "$root/srv/first-log"
block on-a-server.md sh HUB_BASE_URL >"$root/srv/settings"
inside 'cat /srv/settings >>/etc/hub/hub.env; sudo systemctl restart hub'
inside "$(block on-a-server.md sh 'sudo mkdir -p /etc/ssl/hub')" 2>/dev/null
block on-a-server.md nginx 'server {' >"$root/etc/nginx/conf.d/hub.conf"
inside "$(from on-a-server.md '^sudo nginx -t && sudo systemctl reload nginx')"
sleep 1
grep -A1 '^\$ curl' "$guides/on-a-server.md" | grep -v '^--' >"$root/srv/checks"
while read -r prompt command && read -r answer; do
  shown=$(inside "$command" | tail -1)
  echo "$shown"
  case $shown in "${answer%…}"*) ;; *) echo "$prompt expected $answer"; exit 1 ;; esac
done <"$root/srv/checks"

step "clients by https"
NODE_EXTRA_CA_CERTS=$root/etc/ssl/hub/hub.crt bun "$here/try-server-guide/clients.ts" "$root"

step "plugins without a network"
inside 'sudo hub service run -- plugin install logs'

step backups
inside "$(from one-file.md 'sudo systemctl enable --now hub-backup\.timer')"
inside 'sudo systemctl start hub-backup.service; cat /run/hub-backup.log'
test "$(stat -c %a "$root/var/lib/hub/backups")" = 700
test "$(stat -c %a "$root"/var/lib/hub/backups/*)" = 600
inside "$(from on-a-server.md 'sudo install -d -o hub -g hub -m 700 /var/backups/hub')"
inside "$(from on-a-server.md 'hub service run -- backup --keep 14 /var/backups/hub')"
inside "$(from on-a-server.md 'sudo hub service run -- doctor')"

step "units and licences"
inside 'systemd-analyze verify /usr/lib/systemd/system/hub.service /usr/lib/systemd/system/hub-backup.service /usr/lib/systemd/system/hub-backup.timer'
inside 'systemd-analyze security --offline=true --threshold=25 /usr/lib/systemd/system/hub.service | tail -1'
inside 'hub version --licences >/srv/licences; wc -c /srv/licences; cmp /srv/licences /usr/share/doc/hub/copyright'
purge

step "on a server: the one file"
inside "$(from on-a-server.md 'sudo install hub-VERSION-linux-x64 /usr/local/bin/hub')"
inside "$(from one-file.md '^sudo hub service install --dry-run')"
inside "$(from one-file.md '^sudo hub service install$')"
test "$(stat -c '%a %U' "$root/etc/hub/hub.env")" = "600 root"
await_log
inside 'cat /srv/settings >>/etc/hub/hub.env; sudo systemctl restart hub'
inside 'journalctl | head -30' >"$root/srv/first-log"
NODE_EXTRA_CA_CERTS=$root/etc/ssl/hub/hub.crt bun "$here/try-server-guide/clients.ts" "$root"
inside 'sudo hub service run -- plugin install logs && sudo hub service run -- doctor'
inside 'sudo hub service status'
inside 'sudo hub service remove && rm /usr/local/bin/hub'
purge

[ -n "$older" ] || { step done; exit 0; }
. "$here/try-server-guide/upgrade.sh"
step done
