import {
  type ConnectTarget,
  readConnectTarget,
} from "../../../bridges/mcp/oauth/connect-target.ts";
import {
  openRowConfig,
  prepareSecrets,
  toOutboundPolicy,
} from "../../../connectors/rows/open-row-config.ts";
import { HubError } from "../../../errors.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findConnector } from "../../connectors/find-connector.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";

export type ConnectDeps = Pick<
  ServiceDeps,
  "store" | "ring" | "references" | "registry" | "config" | "now"
>;

/** A row with what a sign-in needs of it. Throws `bad_request` if the row does not use OAuth. */
export async function loadConnectable(
  deps: ConnectDeps,
  rowId: string,
): Promise<{ row: RowRecord; target: ConnectTarget }> {
  const row = await loadRow(deps.store.db, rowId);
  if (findConnector(deps.registry, row.connectorKey).needsConnection === undefined) {
    throw new HubError("bad_request", `"${row.label}" is of a connector that needs no connection.`);
  }
  const { registry, references, config } = deps;
  const opening = { registry, references, ring: await deps.ring.reload() };
  await prepareSecrets(opening, row);
  const opened = openRowConfig(opening, row);
  const policy = toOutboundPolicy(opened, config.outboundAllow);
  return { row, target: readConnectTarget(opened.values, { policy, rowId: row.id }) };
}
