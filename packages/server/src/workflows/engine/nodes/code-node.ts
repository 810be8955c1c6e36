import type { Json } from "@hub/connector";
import type { CodeRunner } from "../../code/run-code.ts";
import { findEffects } from "../step/node-effects.ts";
import type { OpenStep } from "../step/open-step.ts";

/** Runs the script of a node, in a process that has neither secrets nor the hub's rights. */
export function createOpenCode({ codeRunner }: { codeRunner: CodeRunner }): OpenStep<"code"> {
  return (ctx, node) => {
    const { source, timeout_ms: timeoutMs } = node;
    const { ownerId } = ctx.run;
    const inputs = ctx.readInputs();
    const { changes, repeats: effects } = findEffects(node);
    const input: Json = inputs.scope ?? { source, timeout_ms: timeoutMs };
    return {
      input,
      effects,
      changes,
      async run({ signal, recordWarnings }) {
        const recordLogs = (lines: readonly string[]) =>
          recordWarnings(lines.map((line) => `console: ${line}`));
        const script = { ownerId, source, timeoutMs, inputs, recordLogs };
        return { kind: "done", output: await codeRunner.run(script, signal) };
      },
    };
  };
}
