import type { RowAccounts, RowConnection } from "@hub/contract/row-connection.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { toAddressText } from "../../../bridges/mcp/oauth/connect-target.ts";
import { toTargetRedirectUri } from "../../../bridges/mcp/oauth/describe-client.ts";
import { toPlainTexts } from "../../../connectors/rows/to-plain-texts.ts";
import { countAccountUsers } from "../../../store/accounts/user-accounts-table.ts";
import type { Db } from "../../../store/database/database.ts";
import { findClientFault } from "../../../store/rows/row-clients.ts";
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
  const shown = await readConnection({ db: store.db, registry }, row, baseUrl);
  const isShown = shown.state !== "not_connected" || needsConnection?.(toPlainTexts(row)) === true;
  return isShown ? shown : null;
}

/** How many users have own accounts in a row, and what is wrong with its client. Null if it has no accounts of users. */
export async function showRowAccounts(
  { store }: Pick<ServiceDeps, "store">,
  rowId: string,
): Promise<RowAccounts | null> {
  const { id, access } = await loadRow(store.db, rowId);
  if (access === "shared") return null;
  const fault = await findClientFault(store.db, id);
  return { users: await countAccountUsers(store.db, id), client_problem: fault?.reason ?? null };
}

async function readConnection(
  { db, registry }: { db: Db; registry: ServiceDeps["registry"] },
  row: Pick<RowRecord, "id" | "values" | "connectorKey">,
  baseUrl: string,
): Promise<RowConnection> {
  const fields = registry.find(row.connectorKey)?.configFields ?? [];
  const given = fields.find(({ key }) => key === "authorize_url") ?? null;
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
    redirect_uri: toTargetRedirectUri(baseUrl, { rowId: row.id, given }),
  };
}

function toTime(at: number | null | undefined): string | null {
  return at === null || at === undefined ? null : toTimeText(at);
}

function findAddressChange(
  { values }: Pick<RowRecord, "values">,
  address: string,
): { reason: string; at: null } | null {
  const read = (name: string) => values.find(({ key }) => key === name)?.value ?? "";
  const present = read("url") || read("base_url") || address;
  if (URL.canParse(present) && toAddressText(new URL(present)) === address) return null;
  return { reason: "The row's address has changed since it was connected.", at: null };
}
