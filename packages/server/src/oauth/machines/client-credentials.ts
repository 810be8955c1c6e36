import type { HotReads } from "../../store/database/hot-reads.ts";
import { authenticateClient, type ClientRequest } from "./authenticate-client.ts";
import { type IssueDeps, issueToken } from "./issue-token.ts";
import { TokenRefusal } from "./token-refusal.ts";

const tokenMs = 60 * 60_000;

/** RFC 6749, section 4.4: a registered client calls as its service user. */
export async function grantClientCredentials(
  deps: IssueDeps & { reads: Pick<HotReads, "findUserAccess"> },
  request: ClientRequest,
): Promise<Response> {
  const client = await authenticateClient(deps, request);
  const { userId } = client;
  if (userId === null) {
    throw new TokenRefusal("unauthorized_client", "the client has no service user");
  }
  const user = await deps.reads.findUserAccess(userId);
  if (user?.kind !== "service" || user.status !== "active") {
    throw new TokenRefusal("invalid_grant", "the service user is not active");
  }
  return await issueToken(deps, {
    by: { kind: "client", id: client.id },
    userId,
    clientId: client.id,
    name: client.name,
    bounds: client.bounds,
    expiresAt: Math.min(deps.now() + tokenMs, client.expiresAt ?? Number.POSITIVE_INFINITY),
  });
}
