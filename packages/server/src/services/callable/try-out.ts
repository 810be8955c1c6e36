import { HubError } from "../../errors.ts";
import type { CallContext, ExecuteRequest, SealedResult } from "../../operations/operations.ts";
import { type TestContext, toTestContext } from "../rows/test-row.ts";
import type { ServiceDeps } from "../service-deps.ts";

type TryDeps = {
  store: ServiceDeps["store"];
  operations: { calls: Pick<ServiceDeps["operations"]["calls"], "tryOut"> };
};

/** Who tries an operation out, what blocks the answer may have, and how large the request is. */
export type TryContext = TestContext & Pick<CallContext, "contentKinds" | "largeChars">;

/**
 * Calls an operation as a client of the caller does, recorded as a test of the caller. Admins, too, reach only what
 * clients can call. A failure that has a record of its own names it.
 */
export async function tryOutOperation(
  { store, operations }: TryDeps,
  { contentKinds, largeChars, ...ctx }: TryContext,
  request: Omit<ExecuteRequest, "widget">,
): Promise<SealedResult> {
  let runId: string | null = null;
  const call: CallContext = {
    ...toTestContext(store, ctx),
    onRecord: (id) => {
      runId = id;
    },
    ...(contentKinds && { contentKinds }),
    ...(largeChars && { largeChars }),
  };
  try {
    return await operations.calls.tryOut(call, request);
  } catch (thrown) {
    throw runId === null ? thrown : nameRecord(thrown, runId);
  }
}

/** The calls that a limit refuses are counted by one record, which may be another one. */
function nameRecord(thrown: unknown, runId: string): unknown {
  if (!(thrown instanceof HubError) || thrown.code === "rate_limited") return thrown;
  const { code, message, detail, cause, localMessage } = thrown;
  return new HubError(code, message, {
    detail: { ...detail, run_id: runId },
    ...(cause !== undefined && { cause }),
    ...(localMessage !== null && { localMessage }),
  });
}
