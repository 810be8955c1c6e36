import { once } from "node:events";
import { createGzip } from "node:zlib";
import { type Header, type Pack, pack } from "tar-stream";
import { settingsText } from "../../packages/cli/src/service/settings-text.ts";
import { toBackupUnitTexts, toUnitText } from "../../packages/cli/src/service/unit-text.ts";

export type DebPackage = {
  version: string;
  /** As Debian names it. */
  architecture: "amd64" | "arm64";
  /** The program as one file. */
  program: Uint8Array;
  license: string;
  /** The time of all files in it. */
  builtMs: number;
};

/** The user of the service. */
const user = "hub";
const dataDir = "/var/lib/hub";
const envFile = "/etc/hub/hub.env";

/**
 * A package for Debian and Ubuntu: the program, its service and its settings. The same input gives the
 * same bytes. Format: deb(5).
 */
export async function writeDeb(deb: DebPackage): Promise<Uint8Array> {
  const files = listFiles(deb);
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0);
  const control = [
    { name: "./control", mode: 0o644, content: Buffer.from(toControl(deb, bytes)) },
    { name: "./conffiles", mode: 0o644, content: Buffer.from(`${envFile}\n`) },
    ...Object.entries(scripts).map(([name, text]) => ({
      name: `./${name}`,
      mode: 0o755,
      content: Buffer.from(text),
    })),
  ];
  return toAr(deb.builtMs, [
    ["debian-binary", Buffer.from("2.0\n")],
    ["control.tar.gz", await toTar(deb.builtMs, control)],
    ["data.tar.gz", await toTar(deb.builtMs, files)],
  ]);
}

type File = { name: string; mode: number; content: Uint8Array };

function listFiles({ program, license }: DebPackage): File[] {
  const unit = toUnitText({
    head: [`Settings: ${envFile}. Data: ${dataDir}.`],
    exec: "/usr/bin/hub serve",
    user,
    envFile: `-${envFile}`,
    env: { HUB_DATA_DIR: dataDir },
  });
  const backup = toBackupUnitTexts({
    head: [`Off until: systemctl enable --now hub-backup.timer. Data: ${dataDir}.`],
    exec: `/usr/bin/hub backup --keep 14 ${dataDir}/backups`,
    user,
    envFile: `-${envFile}`,
    env: { HUB_DATA_DIR: dataDir },
  });
  const units = {
    "hub.service": unit,
    "hub-backup.service": backup.service,
    "hub-backup.timer": backup.timer,
  };
  return [
    { name: `.${envFile}`, mode: 0o600, content: Buffer.from(settingsText) },
    { name: "./usr/bin/hub", mode: 0o755, content: program },
    ...Object.entries(units).map(([name, text]) => ({
      name: `./usr/lib/systemd/system/${name}`,
      mode: 0o644,
      content: Buffer.from(text),
    })),
    { name: "./usr/share/doc/hub/copyright", mode: 0o644, content: Buffer.from(license) },
  ];
}

function toControl({ version, architecture }: DebPackage, bytes: number): string {
  return `Package: hub
Version: ${version}
Architecture: ${architecture}
Maintainer: Hub <hub@localhost>
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.31), passwd
Recommends: ca-certificates
Section: net
Priority: optional
Description: Hub between systems and LLM clients
 Hosts connectors and makes their operations callable over MCP.
`;
}

/** A new installation starts nothing: the first start makes an admin, whom the log names. */
const scripts = {
  postinst: `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  if ! getent passwd ${user} >/dev/null; then
    useradd --system --user-group --home-dir ${dataDir} --no-create-home --shell /usr/sbin/nologin ${user}
  fi
  if [ ! -d ${dataDir} ]; then
    mkdir -m 0700 ${dataDir}
    chown ${user}:${user} ${dataDir}
  fi
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    if [ -n "$2" ]; then
      systemctl try-restart hub.service
    else
      echo "Start the hub: systemctl enable --now hub; the admin's first sign-in is in: journalctl -u hub"
      echo "Make a backup each day: systemctl enable --now hub-backup.timer"
    fi
  fi
fi
`,
  prerm: `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl disable --now hub-backup.timer hub.service || true
fi
`,
  postrm: `#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload || true
fi
if [ "$1" = purge ]; then
  rm -rf ${dataDir}
  rmdir /etc/hub 2>/dev/null || true
  if getent passwd ${user} >/dev/null; then
    userdel ${user} 2>/dev/null || true
  fi
fi
`,
};

/** A compressed archive in which root owns everything. Each folder comes before what is in it. */
async function toTar(builtMs: number, files: readonly File[]): Promise<Uint8Array> {
  const tar = pack();
  const gzip = createGzip({ level: 9 });
  const parts: Uint8Array[] = [];
  gzip.on("data", (part: Uint8Array) => parts.push(part));
  tar.pipe(gzip);
  const ended = once(gzip, "end");
  const common = { mtime: new Date(builtMs), uid: 0, gid: 0, uname: "root", gname: "root" };
  const folders = new Set<string>();
  for (const { name, mode, content } of files) {
    for (const folder of listFolders(name)) {
      if (folders.has(folder)) continue;
      folders.add(folder);
      tar.entry({ ...common, name: folder, type: "directory", mode: 0o755 });
    }
    await addEntry(tar, { ...common, name, mode, size: content.length }, content);
  }
  tar.finalize();
  await ended;
  return Buffer.concat(parts);
}

async function addEntry(
  tar: Pack,
  header: Partial<Header> & { name: string },
  content: Uint8Array,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    tar.entry(header, Buffer.from(content), (failure) => (failure ? reject(failure) : resolve()));
  });
}

function listFolders(name: string): string[] {
  const parts = name.split("/").slice(0, -1);
  return parts.map((_, at) => `${parts.slice(0, at + 1).join("/")}/`);
}

/** The archive format of ar(5), with names of at most 15 characters. */
function toAr(builtMs: number, files: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("!<arch>\n")];
  for (const [name, content] of files) {
    const fields = [
      name.padEnd(16),
      String(Math.floor(builtMs / 1000)).padEnd(12),
      ...["0", "0"].map((id) => id.padEnd(6)),
      "100644".padEnd(8),
      String(content.length).padEnd(10),
    ];
    parts.push(Buffer.from(`${fields.join("")}\`\n`), content);
    if (content.length % 2 === 1) parts.push(Buffer.from("\n"));
  }
  return Buffer.concat(parts);
}
