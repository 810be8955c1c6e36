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
  hub: Pick<RunningHub, "url" | "port" | "dataDir">;
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
    const shell = Bun.spawn(["bash", "-c", [...exported, real].join("\n")], {
      env: { ...process.env, HUB_DATA_DIR: hub.dataDir, ...toDatabaseEnv(hub.dataDir) },
      ...(cwd !== undefined && { cwd }),
      stdin: "ignore",
      stdout: "pipe",
    });
    const own = `http://localhost:${hub.port}`;
    const answer = (await shell.stdout.text()).replaceAll(own, "http://localhost:7420");
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

/** `…` matches any text. */
function toPattern(output: string): RegExp {
  const parts = output
    .trim()
    .split("…")
    .map((part) => RegExp.escape(removeVariableParts(part)));
  return new RegExp(`^${parts.join("[^]*")}$`);
}
