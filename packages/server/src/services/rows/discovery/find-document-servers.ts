import type { DocumentServer } from "@hub/contract/row-discovery.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";
import { type TestContext, toCallContext } from "../test-row.ts";

/** The servers that a row's document names. None of them is used before an admin chooses it. */
export async function findDocumentServers(
  { store, operations }: Pick<ServiceDeps, "store" | "operations">,
  ctx: TestContext,
  rowId: string,
  { document }: { document?: string | undefined } = {},
): Promise<{ servers: DocumentServer[] }> {
  const { id } = await loadRow(store.db, rowId);
  const request = { rowId: id, ...(document !== undefined && { document }) };
  const found = await operations.rows.findServers(toCallContext(ctx), request);
  return { servers: found.map(({ isShared, ...one }) => ({ ...one, shared: isShared })) };
}
