import { existsSync } from "node:fs";
import { delimiter, dirname, join, resolve } from "node:path";

const modules = resolve(import.meta.dirname, "../node_modules");

export type NodeResult = { exitCode: number; stdout: string; stderr: string };

/** Runs a program of these packages to its end, on the Node that it needs. */
export async function runNode(
  script: string,
  args: readonly string[],
  home: string,
): Promise<NodeResult> {
  const child = spawnNode(script, args, home);
  await child.stdin.end();
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  return { exitCode, stdout, stderr };
}

/**
 * Starts one with a home folder of its own, so that it neither finds nor leaves anything in the
 * developer's.
 */
export function spawnNode(
  script: string,
  args: readonly string[],
  home: string,
  env: Record<string, string> = {},
) {
  const node = findNode();
  return Bun.spawn([node, join(modules, script), ...args], {
    cwd: home,
    env: {
      PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ""}`,
      HOME: home,
      NO_COLOR: "1",
      ...env,
    },
    // Open until the program ends: some take its end for a wish to stop.
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Node 24 as npm brings it; where there is no such package for the platform, the system's. */
function findNode(): string {
  const packaged = join(modules, `node-${process.platform}-${process.arch}`, "bin/node");
  const node = existsSync(packaged) ? packaged : Bun.which("node");
  if (node === null) throw new Error("These checkers need Node 24: install it and run again.");
  return node;
}
