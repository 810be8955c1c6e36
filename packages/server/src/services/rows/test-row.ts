import type { LookupItem } from "@hub/connector";
import type { ProgramHealth } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import { findCaller } from "../../identity/find-caller.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { toToolId } from "../../operations/catalogue/tool-id.ts";
import type { CallContext, SealedResult } from "../../operations/operations.ts";
import { noteRun } from "../../store/runs/count-activity.ts";
import { findRun } from "../../store/runs/runs-table.ts";
import { findRowOperation } from "../connectors/find-connector.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadVisibleRow } from "./load-row.ts";

type TestDeps = Pick<ServiceDeps, "store" | "registry" | "operations">;

/** Who tests, and how to cancel and follow the test. */
export type TestContext = Pick<CallContext, "caller" | "signal" | "onProgress"> & {
  ip?: string | null;
  userAgent?: string | null;
};

export type TestInput = {
  operation: string;
  params: Record<string, unknown>;
  /** Values of named elements, as sent by a widget that calls the operation. */
  inputs?: Readonly<Record<string, string>>;
  /** Id of an earlier run of the operation, which the new run names as its parent. */
  retryOf?: string;
};

/**
 * Runs one operation of a row on the test path. It is recorded and sealed like any call. For admins it
 * also reaches what clients cannot call: disabled rows, and operations behind widgets.
 */
export async function testRow(
  { store, registry, operations }: TestDeps,
  ctx: TestContext,
  rowId: string,
  { operation, params, inputs, retryOf }: TestInput,
): Promise<SealedResult> {
  const row = await loadVisibleRow(store.db, ctx.caller, rowId);
  const isAdmin = ctx.caller.role === "admin";
  // The error for an unknown operation lists all of them, also those that only admins see.
  const key = isAdmin
    ? (await findRowOperation(registry, store.db, row, operation)).key
    : operation;
  const request = { toolId: toToolId(row.id, key), params, ...(inputs && { widget: { inputs } }) };
  const call = toTestContext(store, ctx);
  if (retryOf === undefined) return await operations.rows.test(call, request);
  const of = { rowId: row.id, operation: key, ...(!isAdmin && { userId: ctx.caller.userId }) };
  const cause = { kind: "retry", id: await findParent(store, of, retryOf) } as const;
  const origin = { ...call.origin, source: "retry" } as const;
  return await operations.rows.test({ ...call, origin, cause }, request);
}

async function findParent(
  { db }: TestDeps["store"],
  { rowId, operation, userId }: { rowId: string; operation: string; userId?: string },
  id: string,
): Promise<string> {
  const run = await findRun(db, id.toLowerCase());
  const isOfOperation = run?.connectorId === rowId && run.operationKey === operation;
  if (isOfOperation && (userId === undefined || run.userId === userId)) return run.id;
  throw new HubError(
    "not_found",
    `There is no call "${id}" of this operation. Old calls are purged.`,
  );
}

/** Checks whether the row's configuration works. The row's state follows at once. */
export async function checkRowHealth(
  { store, operations }: Pick<TestDeps, "store" | "operations">,
  ctx: TestContext,
  rowId: string,
): Promise<ProgramHealth> {
  let run: string | null = null;
  const onRecord = (id: string) => {
    run = id;
  };
  try {
    return await operations.rows.health({ ...toCallContext(ctx), onRecord }, rowId);
  } finally {
    if (run !== null) await noteRun(store.db, run);
  }
}

/** The items that a picker in the row's settings offers for a query. */
export function lookUpForRow(
  { operations }: Pick<TestDeps, "operations">,
  ctx: TestContext,
  rowId: string,
  input: { source: string; query: string },
): Promise<LookupItem[]> {
  return operations.rows.lookUp(toCallContext(ctx), { rowId, ...input });
}

/** The context of a test of an operation. */
export function toTestContext(store: TestDeps["store"], ctx: TestContext): CallContext {
  return endWithRight(store, toCallContext(ctx));
}

/** The call ends with its user's right. The local admin is not stored, and has all rights. */
export function endWithRight(store: TestDeps["store"], call: CallContext): CallContext {
  const { userId } = call.caller;
  if (userId === LOCAL_ADMIN_ID) return call;
  return { ...call, findCaller: () => findCaller(store, userId) };
}

/** The pipeline's context of a call on the test path. */
export function toCallContext(ctx: TestContext): CallContext {
  const { signal, onProgress, ip = null, userAgent = null } = ctx;
  // This request may have changed the row after its caller and the revision were read.
  const { seen: _, ...caller } = ctx.caller;
  const origin = { source: "test", ip, userAgent } as const;
  return { caller, signal, origin, ...(onProgress && { onProgress }) };
}
