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

type Run = { suite: Suite; scenario: string; version: string | null; url: string; home: string };

/** Runs one scenario against a server and returns the results of its checks. */
export async function runScenario({ suite, scenario, version, url, home }: Run): Promise<Check[]> {
  const folder = `${home}/${crypto.randomUUID()}`;
  const args = ["server", "--url", url, "--scenario", scenario, "--output-dir", folder];
  if (version !== null) args.push("--spec-version", version);
  const { stderr } = await runNode(suite.script, args, home);
  const files = await Array.fromAsync(
    new Glob("**/checks.json").scan({ cwd: folder, absolute: true }),
  );
  if (files.length === 0) throw new Error(`The suite left no results: ${stderr}`);
  return (await Promise.all(files.map((file) => Bun.file(file).json()))).flat();
}
