import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { CallContext, Operations, SealedResult } from "../../operations/operations.ts";
import { toToolId } from "../../operations/tool-id.ts";
import type { Store } from "../../store/open-store.ts";
import { findConnector, findOperation } from "../find-connector.ts";
import { findRowByName } from "../find-row.ts";

type TestDeps = {
  store: Store;
  registry: ConnectorRegistry;
  operations: Pick<Operations, "test">;
};

/** Who tests, and how the test is stopped and followed. */
export type TestContext = Pick<CallContext, "caller" | "signal" | "onProgress"> & {
  ip?: string | null;
  userAgent?: string | null;
};

export type TestInput = {
  row: string;
  operation: string;
  params: Record<string, unknown>;
  /** Named elements, as of a widget that calls the operation. */
  inputs?: Readonly<Record<string, string>>;
};

/**
 * Runs one operation of a row on the manager's path: it is recorded and sealed as any call, and
 * also reaches what clients cannot, such as a disabled row or an operation behind a widget.
 */
export async function testRow(
  { store, registry, operations }: TestDeps,
  ctx: TestContext,
  input: TestInput,
): Promise<SealedResult> {
  const row = await findRowByName(store.db, input.row);
  const { key } = findOperation(findConnector(registry, row.connectorKey), input.operation);
  const { params, inputs } = input;
  const toolId = toToolId(row.id, key);
  const request = { toolId, params, ...(inputs && { widget: { inputs } }) };
  return await operations.test(toCallContext(ctx), request);
}

/** A call on the manager's path, as the pipeline takes it. */
export function toCallContext(ctx: TestContext): CallContext {
  const { caller, signal, onProgress, ip = null, userAgent = null } = ctx;
  const origin = { source: "test", ip, userAgent } as const;
  return { caller, signal, origin, ...(onProgress && { onProgress }) };
}
