import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import type { RowAccess } from "../../../store/database/tables/account-tables.ts";

/** Throws `bad_request` if the rows of a connector cannot have accounts of users. */
export function checkAccess(
  { name, configFields, needsConnection }: RegisteredConnector,
  access: RowAccess,
): void {
  const canHave = needsConnection !== undefined || configFields.some((field) => field.personal);
  if (access === "shared" || canHave) return;
  throw new HubError(
    "bad_request",
    `${name} has no values that each user could have for himself, so its rows have shared access only.`,
  );
}
