import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { toProgramCommand } from "../../../test/support/compile-programs.ts";
import { toHubEnv } from "../../../test/support/run-cli.ts";
import { fileCases } from "../cases/file-cases.ts";
import type { Attack, Door, Prepared, Usage } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";

const mebibyte = 1024 * 1024;
/** The start of the program. */
const startMs = 2_500;
const startMiB = 300;

/** Every command that reads a file of others, or standard input. */
export function listFileDoors(fixture: CostFixture): Door[] {
  return Object.entries(fileCases).map(([command, { args, bytesMax = 4 * mebibyte, wrap }]) => {
    const attacks: Record<string, Attack> = {};
    const add = (name: string, kind: Attack["kind"], make: (bytes: number) => string) =>
      Object.assign(attacks, {
        [name]: { kind, prepare: (bytes: number) => prepare(fixture, args(fixture), make(bytes)) },
      });
    for (const [shape, { kind, make }] of Object.entries(texts)) {
      add(`text: ${shape}`, kind, make);
      for (const [part, write] of Object.entries(wrap ?? {})) {
        add(`${part}: ${shape}`, kind, (bytes) => writeJson(write(make(bytes))));
      }
    }
    for (const [shape, { kind, make }] of Object.entries(values)) {
      add(`JSON: ${shape}`, kind, (bytes) => writeJson(make(bytes)));
      for (const [part, write] of Object.entries(wrap ?? {})) {
        add(`${part}: ${shape}`, kind, (bytes) => writeJson(write(make(bytes))));
      }
    }
    for (const [shape, { kind, make }] of Object.entries(documents)) {
      add(`document: ${shape}`, kind, make);
    }
    const extra = { cpuMsExtra: startMs, memoryMiBExtra: startMiB };
    return { group: "files", name: `hub ${command}`, bytesMax, attacks, ...extra };
  });
}

/** Documents of the languages that the commands read beside JSON. */
const documents: Record<string, { kind: Attack["kind"]; make(bytes: number): string }> = {
  "YAML aliases of aliases": {
    kind: "number",
    make: (bytes) => {
      const levels = Array.from({ length: Math.max(2, Math.floor(bytes / 60)) }, (_, at) => {
        const before = at === 0 ? '"x"' : `*a${at - 1}`;
        return `a${at}: &a${at} [${Array(9).fill(before).join()}]`;
      });
      return `${levels.join("\n")}\n`;
    },
  },
  "YAML in depth": { kind: "depth", make: (bytes) => "- ".repeat(bytes / 2) },
  "YAML flow in depth": { kind: "depth", make: (bytes) => `a: ${"[".repeat(bytes - 3)}` },
  "YAML indentation": {
    kind: "depth",
    make: (bytes) =>
      Array.from({ length: Math.sqrt(bytes) }, (_, at) => `${" ".repeat(at)}k:`).join("\n"),
  },
  "YAML keys": {
    kind: "number",
    make: (bytes) => Array.from({ length: bytes / 12 }, (_, at) => `key${at}: 1`).join("\n"),
  },
  "YAML merges": {
    kind: "number",
    make: (bytes) => `a: &a {b: 1}\n${"c:\n  <<: *a\n".repeat(bytes / 12)}`,
  },
  "YAML tags and anchors": { kind: "number", make: (bytes) => `- ${"&a ".repeat(bytes / 3)}x` },
  "YAML comments": { kind: "number", make: (bytes) => "# x\n".repeat(bytes / 4) },
  "TOML tables": {
    kind: "number",
    make: (bytes) =>
      Array.from({ length: bytes / 24 }, (_, at) => `[mcp_servers.s${at}]\n`).join(""),
  },
  "TOML dotted keys": { kind: "depth", make: (bytes) => `${"a.".repeat(bytes / 2)}a = 1\n` },
  "TOML arrays of tables": {
    kind: "number",
    make: (bytes) => "[[mcp_servers]]\n".repeat(bytes / 16),
  },
  "comments in JSON": { kind: "number", make: (bytes) => `{${"/* x */".repeat(bytes / 7)}}` },
};

let files = 0;

function prepare({ hub, main }: CostFixture, args: readonly string[], text: string): Prepared {
  files += 1;
  const path = join(hub.dataDir, `cost-${files}`);
  let used: Usage = { cpuMs: 0, memoryMiB: 0 };
  return {
    bytes: Buffer.byteLength(text),
    usage: () => used,
    async run() {
      await Bun.write(path, text);
      const given = args.map((arg) => arg.replace("FILE", path));
      const child = Bun.spawn([...toProgramCommand(main), ...given], {
        env: { ...toHubEnv({ dataDir: hub.dataDir }), ...settings },
        stdin: args.some((arg) => arg.includes("FILE")) ? "ignore" : Bun.file(path),
        stdout: "ignore",
        stderr: "ignore",
      });
      const timer = setTimeout(() => child.kill("SIGKILL"), 60_000);
      const memoryMiB = await watchMemory(child);
      clearTimeout(timer);
      const { exitCode } = child;
      const cpuMs = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1000;
      used = { cpuMs, memoryMiB };
      await rm(path, { force: true });
      return `exit ${exitCode}`;
    },
  };
}

/** The largest memory of a process until its end. Its `maxRSS` would be that of this script, of which it is a fork. */
async function watchMemory(child: Bun.Subprocess): Promise<number> {
  let kibibytes = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const status = await readFile(`/proc/${child.pid}/status`, "utf8").catch(() => "");
    kibibytes = Math.max(kibibytes, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0));
    await Promise.race([child.exited, Bun.sleep(5)]);
  }
  return kibibytes / 1024;
}

const settings = { HUB_BRIDGE_STDIO: "0" };
