import type { Account, AccountEnding, AccountRow } from "@hub/contract/account.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { findAccountFault } from "../../connectors/accounts/account-fault.ts";
import { listBoundAddresses } from "../../connectors/accounts/bound-addresses.ts";
import { findAccountKind, listPersonalFields } from "../../connectors/accounts/personal-fields.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { findRowLogo } from "../../connectors/logos/find-logo.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import type { AccountEnding as StoredEnding } from "../../store/accounts/account-endings.ts";
import type { UserAccount } from "../../store/accounts/user-account.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";

/** An account without its secrets. `connector` is null if it is not installed. */
export function toAccount(
  account: UserAccount,
  row: RowRecord,
  connector: RegisteredConnector | null,
  now: number,
): Account {
  const { id, label, kind, identity, hosts, connectedAt, usedAt, expiresAt } = account;
  return {
    id,
    row_id: row.id,
    row_label: row.label,
    connector: row.connectorKey,
    label,
    kind,
    identity,
    hosts: [...hosts],
    connected_at: toTimeText(connectedAt),
    used_at: usedAt === null ? null : toTimeText(usedAt),
    expires_at: expiresAt === null ? null : toTimeText(expiresAt),
    problem: findProblem(account, row, connector, now),
  };
}

function findProblem(
  account: UserAccount,
  row: RowRecord,
  connector: RegisteredConnector | null,
  now: number,
): string | null {
  if (connector === null) return "the row's connector is not installed";
  const kind = findAccountKind(connector, row);
  if (kind === null) return "the row no longer uses accounts of its users";
  return findAccountFault(account, { row: { record: row }, connector, kind, now });
}

/** Null for a row without accounts of users. */
export function toAccountRow(
  row: RowRecord,
  connector: RegisteredConnector | null,
): AccountRow | null {
  const { access } = row;
  const kind = connector === null ? null : findAccountKind(connector, row);
  if (connector === null || access === "shared" || kind === null) return null;
  const texts = toPlainTexts(row);
  const fields = kind === "oauth" ? [] : listPersonalFields(connector, texts);
  return {
    id: row.id,
    connector: row.connectorKey,
    connector_name: connector.name,
    label: row.label,
    logo: findRowLogo(row, connector),
    access,
    kind,
    hosts: listBoundAddresses(connector, texts),
    fields: fields.map(({ key, name, description = "", widget, base, secret, required }) => ({
      key,
      name,
      description,
      widget,
      base,
      secret,
      required,
    })),
  };
}

export function toEnding({
  id,
  rowLabel,
  attempts,
  failure,
  createdAt,
}: StoredEnding): AccountEnding {
  return { id, row_label: rowLabel, attempts, failure, since: toTimeText(createdAt) };
}
