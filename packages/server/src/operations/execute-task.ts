import type { FieldSpec, Json } from "@hub/connector";
import type { AnswerBudget } from "../connectors/connector-port.ts";
import type { ExecuteDeps } from "./execute-operation.ts";
import { openParams, openWithPresentKeys } from "./open-params.ts";
import type { CallContext, SealedResult } from "./operations.ts";
import { recordCall } from "./record-call.ts";
import { runUntilDeadline } from "./run-in-connector.ts";

/** A call of the hub itself to an outside system. It has no row, and clients are not offered it. */
export type CallTask = {
  /** The operation's key in the audit row. */
  operationKey: string;
  /** The name in the timeout message, such as "request". */
  name: string;
  params: Record<string, Json>;
  /** How opened values are written into the params. */
  fields: readonly FieldSpec[];
  timeoutMs: number;
  /** Results with more bytes are cut, like those above the limit of the setting. */
  resultBytesMax: number;
  run(tools: TaskTools, params: Record<string, unknown>): Promise<unknown>;
};

/** What a task gets, beside its params with opened tokens. */
export type TaskTools = {
  signal: AbortSignal;
  /** Memory for an answer above 256 KiB is taken from here before more of it is read. */
  memory: AnswerBudget;
  /** Adds a value that leaves the hub only as a token. */
  mask(value: string): void;
  noteHttpStatus(status: number): void;
};

/** Runs a task like an operation: record( open → begin → run ) → seal. */
export function executeTask(
  deps: ExecuteDeps,
  ctx: CallContext,
  { operationKey, params, fields, resultBytesMax, ...task }: CallTask,
): Promise<SealedResult> {
  const description = { connectorId: null, rowLabel: null, operationKey, request: params };
  return recordCall(
    deps,
    ctx,
    description,
    async (recording) => {
      const { mask, callMask, memory } = recording;
      const owner = { userId: ctx.caller.userId, rowId: null };
      const opened = await openWithPresentKeys(deps.ring, (ring) =>
        openParams({ ring, mask, fields }, owner, params),
      );
      await recording.begin();
      return await runUntilDeadline(deps, { ctx, recording }, task, ({ signal }) =>
        task.run(
          {
            signal,
            memory,
            mask: (value) => callMask.addNamed(value, { ignoreCase: false }),
            noteHttpStatus: recording.noteHttpStatus,
          },
          opened.params,
        ),
      );
    },
    { bytesMax: resultBytesMax },
  );
}
