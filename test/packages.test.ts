/** Packages of the one file, and the service that the program installs itself. */
import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { planService, type ServiceMachine } from "../packages/cli/src/service/plan-service.ts";
import { toUnitText } from "../packages/cli/src/service/unit-text.ts";
import { type DebPackage, writeDeb } from "../scripts/build/write-deb.ts";
import { startCommandProcess } from "./support/command-process.ts";
import { createDataFolder } from "./support/data-folder.ts";

const root = resolve(import.meta.dirname, "..");
const folder = await mkdtemp(join(tmpdir(), "hub-packages-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const deb: DebPackage = {
  version: "1.2.3",
  architecture: "amd64",
  license: "MIT",
  builtMs: 1_700_000_000_000,
  program: Buffer.from("#!/bin/sh\necho hub\n"),
};

/** The members of an archive of ar(5). */
function readAr(archive: Uint8Array): Map<string, Uint8Array> {
  const bytes = Buffer.from(archive);
  expect(bytes.subarray(0, 8).toString()).toBe("!<arch>\n");
  const members = new Map<string, Uint8Array>();
  for (let at = 8; at < bytes.length; ) {
    const header = bytes.subarray(at, at + 60).toString();
    const size = Number(header.slice(48, 58));
    members.set(header.slice(0, 16).trim(), bytes.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return members;
}

test("A package for Debian has the program, its service and its settings, and the same bytes each time", async () => {
  const written = await writeDeb(deb);
  expect(Buffer.from(written).equals(Buffer.from(await writeDeb(deb)))).toBe(true);
  const members = readAr(written);
  expect([...members.keys()]).toEqual(["debian-binary", "control.tar.gz", "data.tar.gz"]);
  const data = Buffer.from(gunzipSync(members.get("data.tar.gz") ?? "")).toString();
  for (const text of [
    "./usr/bin/hub",
    "./etc/hub/hub.env",
    "User=hub",
    "ExecStart=/usr/bin/hub serve",
  ]) {
    expect(data).toContain(text);
  }
  const control = Buffer.from(gunzipSync(members.get("control.tar.gz") ?? "")).toString();
  expect(control).toContain("Version: 1.2.3\nArchitecture: amd64");
  expect(control).toContain("/etc/hub/hub.env\n");
});

const machine: ServiceMachine = {
  platform: "linux",
  isSystem: true,
  home: "/home/ada",
  configHome: "/home/ada/.config",
  self: ["/usr/local/bin/hub"],
  env: {},
  dataDir: null,
};

test("The unit in deploy/ equals the one that the program writes", async () => {
  const text = await Bun.file(join(root, "deploy/hub.service")).text();
  const [head = ""] = text.split("[Unit]");
  const written = toUnitText({
    head: head
      .trimEnd()
      .split("\n")
      .map((line) => line.slice(2)),
    exec: "/opt/hub/node_modules/.bin/hub serve",
    user: "dynamic",
    envFile: "/etc/hub/hub.env",
    env: {
      HUB_DATA_DIR: "/var/lib/hub",
      HUB_HOST: "0.0.0.0",
      PATH: "/opt/hub/node_modules/.bin:/usr/local/bin:/usr/bin:/bin",
    },
  });
  expect(text).toBe(written);
});

test("A system service runs as its own user, and names words with spaces, variables and specifiers as systemd reads them", () => {
  const self = ["/opt/my hub/hub", "50%", "$HOME"];
  const { file, text, user } = planService({ ...machine, self });
  expect([file, user]).toEqual(["/etc/systemd/system/hub.service", "hub"]);
  expect(text).toContain('ExecStart="/opt/my hub/hub" 50%% $$HOME serve\n');
  expect(text).toContain("User=hub\nGroup=hub\nStateDirectory=hub\n");
});

test("A service of a user has the user's folders, and on macOS a job of launchd", () => {
  const own = planService({ ...machine, isSystem: false, dataDir: "/home/ada/my hub" });
  expect(own.file).toBe("/home/ada/.config/systemd/user/hub.service");
  expect(own.text).toContain('Environment="HUB_DATA_DIR=/home/ada/my hub"\n');
  expect(own.text).not.toContain("User=");
  const job = planService({
    ...machine,
    platform: "darwin",
    isSystem: false,
    home: "/Users/ada",
    self: ["/Users/ada/a<b>&c/hub"],
  });
  expect(job.file).toBe("/Users/ada/Library/LaunchAgents/hub.serve.plist");
  expect(job.text).toContain("<string>/Users/ada/a&lt;b&gt;&amp;c/hub</string>");
});

test.each<[string, Partial<ServiceMachine>, RegExp]>([
  ["Windows", { platform: "win32" }, /Task Scheduler/],
  ["a program in a home folder", { self: ["/home/ada/hub"] }, /usr\/local\/bin/],
  ["another data folder of the system", { dataDir: "/srv/hub" }, /\/var\/lib\/hub/],
  ["a system service of macOS", { platform: "darwin" }, /without sudo/],
])("A service is refused for %s", (_, given, message) => {
  expect(() => planService({ ...machine, ...given })).toThrow(message);
});

test("The command writes the file of a user's service once, leaves others' files alone, and removes its own", async () => {
  await using data = await createDataFolder();
  // Without systemctl: what could not be done is named.
  const env = { HOME: folder, PATH: folder, XDG_CONFIG_HOME: join(folder, "config") };
  await using commands = startCommandProcess({ dataDir: data.path, env });
  const run = async (...argv: string[]) => await commands.run({ argv: ["service", ...argv] });
  const units = join(folder, "config/systemd/user");
  const unit = join(units, "hub.service");
  expect((await run("install", "--user", "--dry-run")).stdout).toContain("ExecStart=");
  expect(await Bun.file(unit).exists()).toBe(false);
  const first = await run("install", "--user");
  expect(first.stdout).toContain(`Wrote ${unit}`);
  expect(first.stdout).toContain("systemctl was not found");
  expect(await readdir(units)).toEqual(["hub.service"]);
  expect((await run("install", "--user")).stdout).toContain("is there already");
  expect((await run("status", "--user", "--json")).json()).toMatchObject({
    installed: true,
    running: false,
  });
  expect((await run("remove", "--user")).stdout).toContain(`Deleted ${unit}`);
  expect(await readdir(units)).toEqual([]);
  await Bun.write(unit, "[Service]\nExecStart=/bin/true\n");
  for (const verb of ["install", "remove"]) {
    const refused = await run(verb, "--user");
    expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining("left alone")]);
  }
  expect(await Bun.file(unit).text()).toContain("/bin/true");
});
