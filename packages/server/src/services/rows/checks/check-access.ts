import { mayHaveAccounts } from "../../../connectors/accounts/personal-fields.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import type { RowAccess } from "../../../store/database/tables/account-tables.ts";

/** Throws `bad_request` if the rows of a connector cannot have accounts of users. */
export function checkAccess(connector: RegisteredConnector, access: RowAccess): void {
  if (access === "shared" || mayHaveAccounts(connector)) return;
  throw new HubError(
    "bad_request",
    `${connector.name} has no values that each user could have for himself, so its rows have shared access only.`,
  );
}
