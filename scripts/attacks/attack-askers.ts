import { systemTimers as timers } from "../../packages/server/src/lib/time/timers.ts";
import { createCodePool } from "../../packages/server/src/sandbox/code-pool.ts";
import { createScriptSandbox } from "../../packages/server/src/sandbox/create-script-sandbox.ts";
import { findCodeCommand } from "../../packages/server/src/sandbox/find-code-command.ts";
import { openCodeProcess } from "../../packages/server/src/sandbox/open-code-process.ts";
import {
  echoQuestion,
  hostileAskers,
} from "../../packages/server/src/sandbox/testing/hostile-askers.ts";

type Attack = { name: string; ms: number; fault: string | null };

/** Runs each hostile script that asks the hub, and says how it ended otherwise than it must. */
export async function attackAskers(): Promise<Attack[]> {
  const command = findCodeCommand();
  const pool = createCodePool({ timers, start: () => openCodeProcess({ command, timers }) });
  const sandbox = createScriptSandbox({ pool, timers, computeMs: 1000 });
  const attacks: Attack[] = [];
  try {
    for (const { name, source, end, asks } of hostileAskers) {
      const startedMs = performance.now();
      let asked = 0;
      const ended = await sandbox.run(
        {
          ...{ ownerId: "ann", source, input: null, timeoutMs: 30_000 },
          async answer(question) {
            asked += 1;
            return await echoQuestion(question);
          },
        },
        new AbortController().signal,
      );
      const facts =
        ended.kind === "failed"
          ? { code: ended.error.code }
          : ended.kind === "value"
            ? { value: ended.value }
            : {};
      const isRight = Bun.deepEquals(facts, end) && asked === asks;
      const fault = isRight ? null : `${asked} questions, ${JSON.stringify(facts)}`;
      attacks.push({ name, ms: Math.round(performance.now() - startedMs), fault });
    }
  } finally {
    await pool.close();
  }
  return attacks;
}
