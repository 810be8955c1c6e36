import { hashToken } from "../../identity/authenticate-bearer.ts";
import type { TokenBounds } from "../../lib/call-bounds.ts";
import { createHubToken } from "../../lib/create-hub-token.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import { touchMachineClient } from "../../store/machines/machine-clients-table.ts";
import { touchTrustedIssuer } from "../../store/machines/trusted-issuers-table.ts";
import { putMachineGrant } from "../../store/oauth/machine-grants.ts";
import {
  insertOAuthAccessToken,
  trimOAuthAccessTokens,
} from "../../store/oauth/oauth-access-tokens.ts";
import { oauthScope, toResource } from "../endpoints.ts";
import { TokenRefusal } from "./token-refusal.ts";

export type IssueDeps = { db: Db; now(): number; baseUrl: string };

/** For whom a token is made, and by what. */
export type IssuedFor = {
  /** What stands behind the token: without it, the token is not made, and ends. */
  by:
    | { kind: "client"; id: string }
    /** With the registered client that brought the assertion, if it had to authenticate. */
    | { kind: "issuer"; id: string; clientId?: string };
  userId: string;
  clientId: string;
  /** What people see as the application. */
  name: string;
  bounds: TokenBounds | null;
  /** Epoch ms. */
  expiresAt: number;
};

/** Of one grant. Above it, the oldest ones end. */
const accessTokensMax = 1_000;

/** Records a use of all that stands behind a token. False if any of it has ended. */
async function touch(trx: Transaction, by: IssuedFor["by"], at: number): Promise<boolean> {
  if (by.kind === "client") return await touchMachineClient(trx, by.id, at);
  const { id, clientId } = by;
  const isClientThere = clientId === undefined || (await touchMachineClient(trx, clientId, at));
  return isClientThere && (await touchTrustedIssuer(trx, id, at));
}

/** Makes an access token and the answer that has it (RFC 6749, section 5.1). There is no refresh token. */
export async function issueToken(
  { db, now, baseUrl }: IssueDeps,
  { by, userId, clientId, name, bounds, expiresAt }: IssuedFor,
): Promise<Response> {
  // A form that servers of the version before do not know: they know no service users and no bounds.
  const token = createHubToken("obt");
  const createdAt = now();
  const id = crypto.randomUUID();
  const grant = { userId, clientId, clientName: name, redirectUri: "", scope: oauthScope };
  const resource = toResource(baseUrl);
  await transaction(db, async (trx) => {
    if (!(await touch(trx, by, createdAt)))
      throw new TokenRefusal("invalid_grant", "its registration has ended");
    const machine = `${by.kind}:${by.id}`;
    const times = { createdAt, expiresAt };
    const grantId = await putMachineGrant(trx, {
      ...grant,
      ...times,
      id,
      resource,
      machine,
      bounds,
    });
    const isKept = await insertOAuthAccessToken(trx, {
      tokenHash: hashToken(token),
      grantId,
      userId,
      clientId,
      scope: oauthScope,
      resource,
      ...times,
    });
    if (!isKept) throw new TokenRefusal("invalid_grant", "its registration has ended");
    await trimOAuthAccessTokens(trx, { grantId, kept: accessTokensMax });
  });
  return Response.json(
    {
      access_token: token,
      token_type: "Bearer",
      expires_in: Math.max(Math.floor((expiresAt - createdAt) / 1000), 0),
      scope: oauthScope,
    },
    { headers: { "Cache-Control": "no-store" } },
  );
}
