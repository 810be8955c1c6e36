import { createHubToken } from "../lib/create-hub-token.ts";
import { createTrustedProxies } from "../lib/network/trusted-proxies.ts";
import type { Db } from "../store/database/database.ts";
import {
  findScimClientByHash,
  type ScimClientRecord,
  touchScimClient,
} from "../store/scim/scim-clients-table.ts";
import { hashToken } from "./authenticate-bearer.ts";

const scimToken = /^hub_scim_[0-9a-f]{32}$/;
/** A use is recorded this often: a first cycle is thousands of requests. */
const useMs = 60_000;

/** A new token of a SCIM client. It is shown once and never stored. */
export function createScimToken(): { token: string; tokenHash: Uint8Array; lastFour: string } {
  const token = createHubToken("scim");
  return { token, tokenHash: hashToken(token), lastFour: token.slice(-4) };
}

/**
 * The SCIM client of a bearer token, or null: for an unknown or expired token, and for an address that is not the client's. Other
 * kinds of tokens cause no query, and no other door takes this kind.
 */
export async function findScimClient(
  { db, now }: { db: Db; now: () => number },
  { token, ip }: { token: string; ip: string | null },
): Promise<ScimClientRecord | null> {
  if (!scimToken.test(token)) return null;
  const client = await findScimClientByHash(db, hashToken(token));
  const at = now();
  if (client === null || client.expiresAt <= at || !mayComeFrom(client, ip)) return null;
  const before = at - useMs;
  if (client.lastUsedAt === null || client.lastUsedAt < before) {
    await touchScimClient(db, client.id, { at, before });
  }
  return client;
}

function mayComeFrom({ addresses }: Pick<ScimClientRecord, "addresses">, ip: string | null) {
  return addresses === null || (ip !== null && createTrustedProxies(addresses)(ip));
}
