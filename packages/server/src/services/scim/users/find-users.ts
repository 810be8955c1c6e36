import { findScimUserIds, type ScimUserCondition } from "../../../store/scim/find-scim-users.ts";
import { loadScimUsers, type ScimUserRecord } from "../../../store/scim/scim-users-table.ts";
import type { ScimDeps, ScimRequester } from "../scim-deps.ts";
import type { PageQuery } from "../syntax/read-query.ts";
import { type FilterTerm, parseFilter } from "../syntax/read-terms.ts";
import { readBoolean } from "../syntax/read-values.ts";
import { quote, toScimError } from "../syntax/scim-fault.ts";

/** One page of the users that the client may see and that match. */
export async function findUsers(
  { store }: Pick<ScimDeps, "store">,
  { client }: Pick<ScimRequester, "client">,
  { filter, offset, limit }: PageQuery,
): Promise<{ items: ScimUserRecord[]; total: number }> {
  const conditions = filter === null ? [] : parseFilter(filter).map(toCondition);
  const { id: clientId, issuer } = client;
  const search = { clientId, issuer, conditions, offset, limit };
  const { ids, total } = await findScimUserIds(store.db, search);
  return { items: await loadScimUsers(store.db, ids), total };
}

/** The e-mail is the one by which the hub knows the user, whatever its type. */
function toCondition({ attribute, elements, value }: FilterTerm): ScimUserCondition {
  switch (attribute) {
    case "id":
      return { by: "id", value: toText(value).toLowerCase() };
    case "username":
      return { by: "userName", value: toText(value).toLowerCase() };
    case "externalid":
      return { by: "externalId", value: toText(value) };
    case "active":
      return { by: "active", value: readBoolean("active", value) };
    case "emails":
    case "emails.value": {
      const named = value ?? elements.find((one) => one.attribute === "value")?.value;
      return { by: "email", value: toText(named).toLowerCase() };
    }
    default:
      throw toScimError(
        "invalidFilter",
        `Users are found by id, userName, externalId, emails.value and active, not by ${quote(attribute)}.`,
      );
  }
}

export function toText(value: unknown): string {
  if (typeof value === "string" && !value.includes("\0") && value.isWellFormed()) return value;
  throw toScimError("invalidFilter", "The filter compares with something that is not a text.");
}
