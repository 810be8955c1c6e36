import { HubError } from "../../errors.ts";
import type {
  BatchRequest,
  CallContext,
  ExecuteRequest,
  SealedResult,
} from "../../operations/operations.ts";
import { type TestContext, toTestContext } from "../rows/test-row.ts";
import type { ServiceDeps } from "../service-deps.ts";

type TryDeps = {
  store: ServiceDeps["store"];
  operations: {
    calls: Pick<ServiceDeps["operations"]["calls"], "tryOut">;
    batches: ServiceDeps["operations"]["batches"];
  };
};

/** Who tries an operation out, what blocks the answer may have, and how large the request is. */
export type TryContext = TestContext & Pick<CallContext, "contentKinds" | "largeChars">;

/**
 * Calls an operation as a client of the caller does, recorded as a test of the caller. Admins, too, reach only what
 * clients can call. A failure that has a record of its own names it.
 */
export async function tryOutOperation(
  { store, operations }: TryDeps,
  ctx: TryContext,
  request: Omit<ExecuteRequest, "widget">,
): Promise<SealedResult> {
  return await nameRecord(store, ctx, (call) => operations.calls.tryOut(call, request));
}

/**
 * Makes several calls as one message of a client of the caller does, by `hub_read`. Each is recorded as a test of the
 * caller, and so is the message.
 */
export async function tryOutSeveral(
  { store, operations }: TryDeps,
  ctx: Omit<TryContext, "contentKinds">,
  batch: BatchRequest,
): Promise<SealedResult> {
  return await nameRecord(store, ctx, (call) =>
    operations.batches.tryOut({ ...call, hasProgressToken: true }, batch),
  );
}

async function nameRecord(
  store: TryDeps["store"],
  { contentKinds, largeChars, ...ctx }: TryContext,
  tryOut: (call: CallContext) => Promise<SealedResult>,
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
    return await tryOut(call);
  } catch (thrown) {
    throw runId === null ? thrown : withRecord(thrown, runId);
  }
}

/** The calls that a limit refuses are counted by one record, which may be another one. */
function withRecord(thrown: unknown, runId: string): unknown {
  if (!(thrown instanceof HubError) || thrown.code === "rate_limited") return thrown;
  const { code, message, detail, cause, localMessage } = thrown;
  return new HubError(code, message, {
    detail: { ...detail, run_id: runId },
    ...(cause !== undefined && { cause }),
    ...(localMessage !== null && { localMessage }),
  });
}
