import { expect } from "bun:test";
import { toProgramCommand } from "./compile-programs.ts";
import { readConsoleSteps, removeVariableParts } from "./console-blocks.ts";
import { hubMain } from "./run-cli.ts";
import type { RunningHub } from "./start-hub.ts";
import { toDatabaseEnv } from "./test-database.ts";

const shownToken = "hub_pat_0123456789abcdef0123456789abcdef";
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

type GuideRun = {
  /** The text of the guide. */
  guide: string;
  hub: RunningHub;
  /** The port of the outside system that the guide calls at http://localhost:4000. */
  outsidePort: number;
  /** The folder of the commands. The default is that of the tests. */
  cwd?: string;
  /** Called with what replaces the guide's ids, before the command. */
  beforeCommand?(toReal: (text: string) => string): Promise<void>;
};

/** Runs every command of a guide, and expects the output that the guide shows. */
export async function runGuide({ guide, hub, outsidePort, cwd, beforeCommand }: GuideRun) {
  const exported: string[] = [];
  // Ids in a command are replaced by the ids of earlier answers.
  const ids = new Map<string, string>();
  const toReal = (text: string) =>
    [...ids].reduce((all, [shown, real]) => all.replaceAll(shown, real), text);
  const program = toProgramCommand(hubMain).join(" ");
  let token = "";
  const steps = readConsoleSteps(guide);
  expect(steps.filter(({ output }) => output.trim() !== "").length).toBeGreaterThan(0);
  for (const { command, output } of steps) {
    const real = toReal(command)
      .replaceAll("npx hub", program)
      .replaceAll("http://localhost:7420", hub.url)
      .replaceAll("http://localhost:4000", `http://localhost:${outsidePort}`)
      .replaceAll(shownToken, token);
    if (output.trim() === "") {
      exported.push(real);
      continue;
    }
    await beforeCommand?.(toReal);
    const argv = exported.length > 0 || cwd !== undefined ? null : findArguments(program, real);
    const printed = await (argv === null
      ? runInShell([...exported, real].join("\n"), hub, cwd)
      : hub.tryCli(argv).then(({ stdout }) => stdout));
    const own = `http://localhost:${hub.port}`;
    const answer = printed.replaceAll(own, "http://localhost:7420");
    token = /hub_pat_[0-9a-f]{32}/.exec(answer)?.[0] ?? token;
    const [shownId] = output.match(uuid) ?? [];
    const [realId] = answer.match(uuid) ?? [];
    if (shownId !== undefined && realId !== undefined) ids.set(shownId, realId);
    expect([command, removeVariableParts(answer)]).toEqual([
      command,
      expect.stringMatching(toPattern(output)),
    ]);
  }
}

async function runInShell(lines: string, { dataDir }: RunningHub, cwd?: string): Promise<string> {
  const shell = Bun.spawn(["bash", "-c", lines], {
    env: { ...process.env, HUB_DATA_DIR: dataDir, ...toDatabaseEnv(dataDir) },
    ...(cwd !== undefined && { cwd }),
    stdin: "ignore",
    stdout: "pipe",
  });
  return await shell.stdout.text();
}

/** A word of a shell without expansions: plain, or in quotes. */
const plainWord = /(?:'([^']*)'|"([^"$`\\!]*)"|([\w./:=@,+%-]+))/;
const plainLine = new RegExp(`^(?:\\s*${plainWord.source}(?=\\s|$))+\\s*$`);

/**
 * The arguments of a line that is one command of the hub and uses nothing of a shell but quotes: it needs no process of its
 * own. Null for other lines.
 */
function findArguments(program: string, line: string): string[] | null {
  const [first = "", ...rest] = line.replaceAll("\\\n", " ").split(program);
  const given = rest.join(program);
  if (first.trim() !== "" || !plainLine.test(given)) return null;
  const words = given.matchAll(new RegExp(plainWord, "g"));
  return [...words].map(([, single, double, plain]) => single ?? double ?? plain ?? "");
}

/** `…` matches any text. */
function toPattern(output: string): RegExp {
  const parts = output
    .trim()
    .split("…")
    .map((part) => RegExp.escape(removeVariableParts(part)));
  return new RegExp(`^${parts.join("[^]*")}$`);
}
