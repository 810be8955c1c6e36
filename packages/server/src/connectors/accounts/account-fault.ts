import type { UserAccount } from "../../store/accounts/user-account.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { RegisteredConnector } from "../connector-port.ts";
import { toPlainTexts } from "../rows/to-plain-texts.ts";
import { findPublisher, listBoundAddresses } from "./bound-addresses.ts";

type Present = {
  row: { record: Pick<RowRecord, "values"> };
  connector: RegisteredConnector;
  /** The kind of accounts that the row has now. */
  kind: "token" | "oauth";
  now: number;
};

/**
 * Why an account must be connected again: the end of a sentence that begins with "an account of yours, and". Null if it can be
 * used.
 */
export function findAccountFault(
  account: Pick<UserAccount, "label" | "kind" | "hosts" | "publisher" | "lost" | "expiresAt">,
  { row, connector, kind, now }: Present,
): string | null {
  const { label, hosts, publisher, lost } = account;
  const present = listBoundAddresses(connector, toPlainTexts(row.record));
  if (!Bun.deepEquals([...hosts], present)) {
    return `the account "${label}" was connected for ${hosts.join(", ")}; the row now leads to ${present.join(", ")}`;
  }
  if (publisher !== findPublisher(connector)) {
    return `the account "${label}" was connected for a connector of another publisher`;
  }
  if (account.kind !== kind) {
    return `the row now takes another kind of account than "${label}"`;
  }
  if (lost !== null) return `the account "${label}" works no longer: ${lost.reason}`;
  // A sign-in is renewed; a typed token is not.
  if (kind === "token" && account.expiresAt !== null && account.expiresAt <= now) {
    return `the account "${label}" has expired`;
  }
  return null;
}
