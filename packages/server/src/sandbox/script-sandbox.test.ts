/** Scripts that ask the hub, in a real process. */
import { afterAll, describe, expect, test } from "bun:test";
import { systemTimers as timers } from "../lib/time/timers.ts";
import { createCodePool } from "./code-pool.ts";
import { createScriptSandbox } from "./create-script-sandbox.ts";
import { findCodeCommand } from "./find-code-command.ts";
import { openCodeProcess } from "./open-code-process.ts";
import { scriptProcessesMax } from "./script-limits.ts";
import type { SandboxScript, ScriptQuestion, ScriptReply } from "./script-sandbox.ts";

const command = findCodeCommand();
const pool = createCodePool({
  timers,
  start: () => openCodeProcess({ command, timers }),
  processesMax: scriptProcessesMax,
  ownerProcessesMax: 1,
});
afterAll(() => pool.close());
const sandbox = createScriptSandbox({ pool, timers, computeMs: 300 });
const never = new AbortController().signal;

const value = (given: unknown): ScriptReply => ({ kind: "value", text: JSON.stringify(given) });
const echo = async (question: ScriptQuestion) => value(question);

async function run(source: string, given: Partial<SandboxScript> = {}, signal = never) {
  const script = { ownerId: "ann", source, input: null, timeoutMs: 20_000, answer: echo, ...given };
  const end = await sandbox.run(script, signal);
  if (end.kind !== "failed") return end;
  const { error, logs } = end;
  return { kind: end.kind, code: error.code, message: error.message, detail: error.detail, logs };
}

describe("what a script has", () => {
  test("A script calls tools and searches, and its value is the end", async () => {
    const source = `
      console.log("begins", input.name);
      const found = await search("issues");
      const got = await call("conn:1/a", { b: [1, null, "ü"] }, { fields: ["x.y"] });
      return [found, got, await call("conn:1/b")];`;
    expect(await run(source, { input: { name: "n" } })).toEqual({
      kind: "value",
      logs: ["begins n"],
      value: [
        { kind: "search", query: "issues" },
        { kind: "call", toolId: "conn:1/a", params: { b: [1, null, "ü"] }, fields: ["x.y"] },
        { kind: "call", toolId: "conn:1/b", params: {} },
      ],
    });
  });
});
