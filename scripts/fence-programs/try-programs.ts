import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFence, type FenceDeps } from "@hub/server/plugins/fence/fence.ts";
import { spawnProgram } from "@hub/server/plugins/process/spawn-program.ts";
import type { TriedProgram } from "./programs.ts";

export type Outcome = {
  stdout: string;
  stderr: string;
  code: number | null;
  signal: string | null;
};

/** Runs programs as the hub starts those of plugins and rows, in a data folder of their own. */
export function openTrial(limits: FenceDeps["limits"], user: string | null = null) {
  const parent = mkdtempSync(join(tmpdir(), "hub-tried-"));
  const dataDir = join(parent, "data");
  const home = join(dataDir, "homes", "tried");
  mkdirSync(home, { recursive: true });
  const fence = createFence({ dataDir, mode: "auto", limits: limits ?? null, user });
  const path = process.env.PATH ?? "";

  async function run(command: readonly string[]): Promise<Outcome> {
    const [name = "", ...args] = command.map((word) => word.replace("$PWD", home));
    const { child, release } = spawnProgram(
      { fence },
      {
        command: name,
        args,
        cwd: home,
        env: { PATH: path, HOME: home, TMPDIR: home },
        folders: { read: [], written: [home], way: [] },
      },
    );
    child.stdin.end();
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const code = await child.exited;
    await release();
    return {
      stdout,
      stderr,
      code,
      signal: child.signalCode === null ? null : String(child.signalCode),
    };
  }

  return {
    fence,
    parent,
    run,
    write: (name: string, text: string) => writeFileSync(join(home, name), text),
    /** Builds and runs it. */
    async try({ file, source, build, command }: TriedProgram): Promise<Outcome> {
      writeFileSync(join(home, file), source);
      if (build !== undefined) {
        const { exitCode, stderr } = Bun.spawnSync([...build], { cwd: home });
        if (exitCode !== 0) throw new Error(`${stderr}`);
      }
      return await run(command);
    },
    [Symbol.dispose]: () => rmSync(parent, { recursive: true, force: true }),
  };
}
