import {
  type ConnectTarget,
  readConnectTarget,
} from "../../../bridges/mcp/oauth/connect-target.ts";
import type { Caller } from "../../../caller.ts";
import { findAccountKind } from "../../../connectors/accounts/personal-fields.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import {
  openRowConfig,
  prepareSecrets,
  toOutboundPolicy,
} from "../../../connectors/rows/open-row-config.ts";
import { checkRowOwner } from "../../../connectors/rows/row-owner.ts";
import { HubError } from "../../../errors.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findConnector } from "../../connectors/find-connector.ts";
import type { ConnectDeps } from "../../rows/connection/load-connectable.ts";
import { loadVisibleRow } from "../../rows/load-row.ts";
import { loadUser } from "../../users/load-user.ts";

/** A row in which users have accounts that they get by a sign-in elsewhere. */
export type SignInRow = { row: RowRecord; connector: RegisteredConnector; target: ConnectTarget };

/** Throws `conflict` if accounts in the row are not got by a sign-in, and `not_found` if the caller does not see it. */
export async function loadSignIn(
  deps: ConnectDeps,
  caller: Caller,
  rowId: string,
): Promise<SignInRow> {
  const { store, registry, references, config } = deps;
  await loadUser(store.db, caller.userId);
  const row = await loadVisibleRow(store.db, caller, rowId);
  const connector = findConnector(registry, row.connectorKey);
  checkSignIn(connector, row);
  const opening = { registry, references, ring: await deps.ring.reload() };
  await prepareSecrets(opening, row);
  const opened = openRowConfig(opening, row);
  const policy = toOutboundPolicy(opened, config.outboundAllow);
  return { row, connector, target: readConnectTarget(opened.values, { policy, rowId: row.id }) };
}

/** Throws `conflict` if accounts in the row are not got by a sign-in. */
export function checkSignIn(connector: RegisteredConnector, row: RowRecord): void {
  checkRowOwner(row, connector);
  if (findAccountKind(connector, row) === "oauth") return;
  throw new HubError("conflict", `Accounts in "${row.label}" are not connected by a sign-in.`);
}
