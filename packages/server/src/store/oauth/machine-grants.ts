import type { TokenBounds } from "../../lib/call-bounds.ts";
import type { Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { NewOAuthGrant } from "./oauth-grants.ts";

/** A grant that a machine gets without a user's consent. */
export type MachineGrant = NewOAuthGrant & {
  /** `client:ID` or `issuer:ID`. */
  machine: string;
  bounds: TokenBounds | null;
};

/**
 * The id of the machine's grant for the user and the client. It is one for all of its tokens, so that calls that wait belong
 * to the next token too. It lasts as long as its last token.
 */
export async function putMachineGrant(trx: Transaction, grant: MachineGrant): Promise<string> {
  const { expiresAt } = grant;
  const bounds = grant.bounds === null ? null : JSON.stringify(grant.bounds);
  const stored = await toKysely(trx)
    .insertInto("oauth_grants")
    .values({
      id: grant.id,
      user_id: grant.userId,
      client_id: grant.clientId,
      client_name: grant.clientName,
      redirect_uri: grant.redirectUri,
      scope: grant.scope,
      resource: grant.resource,
      created_at: grant.createdAt,
      last_used_at: null,
      expires_at: expiresAt,
      bounds,
      machine: grant.machine,
    })
    .onConflict((same) =>
      same
        .columns(["machine", "user_id", "client_id"])
        .where("machine", "is not", null)
        .doUpdateSet((one) => ({
          bounds,
          expires_at: one
            .case()
            .when("oauth_grants.expires_at", "<", expiresAt)
            .then(expiresAt)
            .else(one.ref("oauth_grants.expires_at"))
            .end(),
        })),
    )
    .returning("id")
    .executeTakeFirstOrThrow();
  return stored.id;
}

/**
 * Ends all tokens that a registered client got: as itself, and with assertions of trusted issuers. Consents of users to a client
 * stay.
 */
export async function deleteClientGrants(trx: Transaction, clientId: string): Promise<void> {
  await toKysely(trx)
    .deleteFrom("oauth_grants")
    .where("client_id", "=", clientId)
    .where("machine", "is not", null)
    .execute();
}

/** Ends all tokens that a machine got. Returns how many grants have ended. */
export async function deleteMachineGrants(trx: Transaction, machine: string): Promise<number> {
  const { numDeletedRows } = await toKysely(trx)
    .deleteFrom("oauth_grants")
    .where("machine", "=", machine)
    .executeTakeFirst();
  return Number(numDeletedRows);
}
