import { listBoundAddresses } from "../../connectors/accounts/bound-addresses.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { HubError } from "../../errors.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";

/** Attack: the row is pointed elsewhere between the page that names its hosts and the form that sends the token. */
export function checkHosts(
  connector: RegisteredConnector,
  row: RowRecord,
  shown: readonly string[],
): void {
  const present = listBoundAddresses(connector, toPlainTexts(row));
  if (Bun.deepEquals([...shown].sort(), present)) return;
  throw new HubError(
    "conflict",
    `"${row.label}" leads to ${present.join(", ")}. Connect the account only if you want it to be used there.`,
    { detail: { hosts: present } },
  );
}
