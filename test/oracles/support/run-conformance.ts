import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { runNode } from "./run-node.ts";

/** A release of the official conformance suite. */
export type Suite = { release: string; script: string };

/** One release for the session mode, and one that adds the stateless mode. */
export const suites: readonly Suite[] = [
  { release: "0.1.16", script: "@modelcontextprotocol/conformance/dist/index.js" },
  { release: "0.2.0-alpha.12", script: "conformance-next/dist/index.js" },
];

/** A scenario for servers and its revisions. A scenario of an extension has none. */
export type ListedScenario = { name: string; versions: string[] };

/** Lists all scenarios for servers of a release. */
export async function listScenarios({ script }: Suite, home: string): Promise<ListedScenario[]> {
  const { exitCode, stdout, stderr } = await runNode(script, ["list", "--server"], home);
  if (exitCode !== 0) throw new Error(stderr);
  return [...stdout.matchAll(/^ {2}- ([\w-]+) \[([^\]]*)\]$/gm)].map(
    ([, name = "", tags = ""]) => ({
      name,
      versions: tags.split(",").filter((tag) => /^\d/.test(tag)),
    }),
  );
}

export type Check = { id: string; status: string; errorMessage?: string };

/** A scenario at a revision; null if the suite cannot select one. */
export type Run = { scenario: string; version: string | null };

const driver = resolve(import.meta.dirname, "run-scenarios.mjs");
const modules = resolve(import.meta.dirname, "../node_modules");

/** Runs scenarios against a server, one after another, and returns the results of their checks. */
export async function runScenarios(
  { script }: Suite,
  url: string,
  home: string,
  runs: readonly Run[],
): Promise<Check[][]> {
  const folders = runs.map(() => join(home, crypto.randomUUID()));
  const lists = runs.map(({ scenario, version }, index) => [
    ...["server", "--url", url, "--scenario", scenario, "--output-dir", folders[index]],
    ...(version === null ? [] : ["--spec-version", version]),
  ]);
  const { stderr } = await runNode(driver, [join(modules, script), JSON.stringify(lists)], home);
  return await Promise.all(
    folders.map(async (cwd, index) => {
      const found = new Glob("**/checks.json").scan({ cwd, absolute: true });
      const files = existsSync(cwd) ? await Array.fromAsync(found) : [];
      if (files.length === 0)
        throw new Error(`${runs[index]?.scenario} left no results: ${stderr}`);
      return (await Promise.all(files.map((file) => Bun.file(file).json()))).flat();
    }),
  );
}
