import type { Principal } from "../../caller.ts";
import type { Db } from "../../store/database/database.ts";
import { findOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { findToken } from "../../store/users/tokens-table.ts";

/** The name by which people know what made a call. It is read only when a person is asked. */
export async function findPrincipalName(db: Db, { kind, id }: Principal): Promise<string> {
  if (kind === "token") return (await findToken(db, id))?.name ?? "a token";
  if (kind === "grant") return (await findOAuthGrant(db, id))?.clientName ?? "an application";
  return names[kind];
}

const names = { stdio: "stdio", session: "the hub's pages", workflow: "a workflow" } as const;
