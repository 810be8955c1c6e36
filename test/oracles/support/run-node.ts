import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

const modules = resolve(import.meta.dirname, "../node_modules");

export type NodeResult = { exitCode: number; stdout: string; stderr: string };

/** Runs a program of these packages on Node 24, and waits for its end. */
export async function runNode(
  script: string,
  args: readonly string[],
  home: string,
  env: Record<string, string> = {},
): Promise<NodeResult> {
  return await waitForResult(spawnNode(script, args, home, env));
}

/** Waits for the end of a program that reads no input. */
export async function waitForResult(child: ReturnType<typeof spawnIn>): Promise<NodeResult> {
  await child.stdin.end();
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/** Starts a program on Node 24: a path below these packages, or an absolute one. */
export function spawnNode(
  script: string,
  args: readonly string[],
  home: string,
  env: Record<string, string> = {},
) {
  return spawnIn([findNode(), resolve(modules, script), ...args], home, env);
}

/**
 * Starts a program with a new home folder, so that it does not read or write the developer's files.
 */
export function spawnIn(command: string[], home: string, env: Record<string, string> = {}) {
  return Bun.spawn(command, {
    cwd: home,
    env: {
      PATH: `${dirname(findNode())}${delimiter}${process.env.PATH ?? ""}`,
      HOME: home,
      NO_COLOR: "1",
      ...env,
    },
    // Standard input stays open until the program ends, because some programs stop when it closes.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Node 24 from npm, or the system's Node if npm has no package for the platform. */
export function findNode(): string {
  const packaged = join(modules, `node-${process.platform}-${process.arch}`, "bin/node");
  const node = existsSync(packaged) ? packaged : Bun.which("node");
  if (node === null) throw new Error("These checkers need Node 24: install it and run again.");
  return node;
}
