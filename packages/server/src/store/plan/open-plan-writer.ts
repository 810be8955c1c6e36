import { join } from "node:path";
import { type ErrorCode, HubError } from "../../errors.ts";
import { planWriterCommand } from "../../lib/process/part-commands.ts";
import { findPartCommand } from "../../lib/process/self-command.ts";
import { toPlanBytes } from "./plan-bytes.ts";
import type { StoredPlan } from "./plan-changes.ts";

/** Stores one plan in a process of its own. */
export type PlanWriter = AsyncDisposable & {
  /** As `storePlan` does. */
  store(plan: StoredPlan): Promise<void>;
};

/**
 * Starts the process, which waits for the plan. It has the priority that this process has now: the plan may then
 * be made at a lower one. With that, a transaction of SQLite would keep other writers waiting while it waits for
 * a processor, and only a privileged process may raise its priority again.
 */
export function openPlanWriter(dataDir: string): PlanWriter {
  const file = join(import.meta.dirname, "plan-writer-process.ts");
  const { command, args, env } = findPartCommand(planWriterCommand, file);
  const child = Bun.spawn([command, ...args, dataDir], {
    env: { PATH: process.env.PATH ?? "", ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const printed = new Response(child.stdout).text();
  const failure = new Response(child.stderr).text();
  return {
    async store(plan) {
      child.stdin.write(toPlanBytes(plan));
      await child.stdin.end();
      const [text, exitCode] = await Promise.all([printed, child.exited]);
      if (text !== "") throw toError(text);
      if (exitCode === 0) return;
      throw new Error(`The process that stores the plan ended with ${exitCode}: ${await failure}`);
    },
    async [Symbol.asyncDispose]() {
      await child.stdin.end();
      await child.exited;
    },
  };
}

function toError(text: string): HubError {
  // Printed by `plan-writer-process.ts` of the same program.
  const { code, message, detail, localMessage } = JSON.parse(text) as {
    code: ErrorCode;
    message: string;
    detail: Record<string, unknown>;
    localMessage: string | null;
  };
  return new HubError(code, message, { detail, ...(localMessage !== null && { localMessage }) });
}
