import type { CallContext, SealedResult } from "../operations.ts";
import { recordCall } from "../records/record-call.ts";
import type { CallTask } from "./call-task.ts";
import type { ExecuteDeps } from "./execute-deps.ts";
import { openLargeTokens, openParams, openWithPresentKeys } from "./open-params.ts";
import { runUntilDeadline } from "./run-in-connector.ts";

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
      const before = await openLargeTokens({ ring: deps.ring, mask }, owner, params);
      const opened = await openWithPresentKeys(deps.ring, (ring) =>
        openParams({ ring, mask, fields, before }, owner, params),
      );
      await recording.begin();
      return await runUntilDeadline(deps, { ctx, recording }, task, ({ signal }) =>
        task.run(
          {
            signal,
            memory,
            mask: (value) => callMask.addNamed(value, { ignoreCase: false }),
            recordHttpStatus: (status) => recording.recordHttpStatus(status),
          },
          opened.params,
        ),
      );
    },
    { bytesMax: resultBytesMax },
  );
}
