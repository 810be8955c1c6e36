import type { RowConnection } from "@hub/contract/row-connection.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { toAddressText } from "../../../bridges/mcp/oauth/connect-target.ts";
import { toRedirectUri } from "../../../bridges/mcp/oauth/describe-client.ts";
import { toPlainTexts } from "../../../connectors/rows/to-plain-texts.ts";
import type { Db } from "../../../store/database/database.ts";
import { findRowConnection } from "../../../store/rows/row-connections.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";

/** Null if the row needs no connection. */
export async function showConnection(
  { store, registry }: Pick<ServiceDeps, "store" | "registry">,
  rowId: string,
  { baseUrl }: { baseUrl: string },
): Promise<RowConnection | null> {
  const row = await loadRow(store.db, rowId);
  const needsConnection = registry.find(row.connectorKey)?.needsConnection;
  const shown = await readConnection(store.db, row, baseUrl);
  const isShown = shown.state !== "not_connected" || needsConnection?.(toPlainTexts(row)) === true;
  return isShown ? shown : null;
}

/** In a transaction, with the changes made there. */
export async function readConnection(
  db: Db,
  row: Pick<RowRecord, "id" | "values">,
  baseUrl: string,
): Promise<RowConnection> {
  const found = await findRowConnection(db, row.id);
  const lost = found === null ? null : (found.lost ?? findAddressChange(row, found.address));
  return {
    state: found === null ? "not_connected" : lost === null ? "connected" : "lost",
    reason: lost?.reason ?? null,
    lost_at: toTime(lost?.at),
    issuer: found?.issuer ?? null,
    address: found?.address ?? null,
    scopes: found === null || found.scope === "" ? [] : found.scope.split(" "),
    connected_at: toTime(found?.connectedAt),
    expires_at: toTime(found?.expiresAt),
    renews: found?.canRenew ?? false,
    redirect_uri: toRedirectUri(baseUrl),
  };
}

function toTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : toTimeText(at);
}

function findAddressChange(
  { values }: Pick<RowRecord, "values">,
  address: string,
): { reason: string; at: null } | null {
  const present = values.find(({ key }) => key === "url")?.value ?? "";
  if (URL.canParse(present) && toAddressText(new URL(present)) === address) return null;
  return { reason: "The row's address has changed since it was connected.", at: null };
}
