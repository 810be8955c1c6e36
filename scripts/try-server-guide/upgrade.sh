# Part of try-server-guide.sh: the upgrade from an older package, and the way back, by the guide's lines.
step "upgrade: the former package"
cp "$older" "$root/srv/"
former=./$(basename "$older")
inside "sudo apt install $former; sudo systemctl enable --now hub; hub version | head -1"
inside 'sudo -u hub env HUB_DATA_DIR=/var/lib/hub hub user add ada@example.com'
inside 'cat /srv/settings >>/etc/hub/hub.env; sudo systemctl restart hub'

step "upgrade: a backup, the newer package"
inside 'install -d -o hub -g hub -m 700 /backups; printf "a passphrase of the operator\n" >/etc/hub/passphrase; chmod 600 /etc/hub/passphrase'
inside "$(from upgrade.md 'npx hub backup /backups/before-upgrade\.tar\.gz --keys < /etc/hub/passphrase' |
  sed 's/npx hub/sudo -u hub env HUB_DATA_DIR=\/var\/lib\/hub hub/')"
inside "$(from upgrade.md 'sudo apt install \./hub_X\.Y\.Z_amd64\.deb')"
inside 'hub version | head -1; sudo hub service run -- doctor; sudo hub service run -- user list'
inside 'sudo hub service run -- user list | grep ada@example.com'

step "upgrade: and back"
inside 'sudo systemctl stop hub'
copy=$(basename "$root"/var/lib/hub/upgrade-copies/before-*.tar.gz)
block upgrade.md console 'mkdir /var/lib/hub/after-upgrade' | sed -n 's/^\$ //p' | sed "s/before-[0-9.]*-[0-9TZ]*\.tar\.gz/$copy/" >"$root/srv/back"
cat "$root/srv/back"
inside 'sudo -u hub bash -e /srv/back'
inside "$(from upgrade.md 'sudo apt install --allow-downgrades \./hub_FORMER_amd64\.deb' | sed "s|./hub_FORMER_amd64.deb|-y $former|")"
inside 'sudo systemctl start hub; hub version | head -1; curl -s http://127.0.0.1:7420/health'
inside 'sudo -u hub env HUB_DATA_DIR=/var/lib/hub hub user list | grep ada@example.com'
purge
