import { randomBytes } from "node:crypto";
import { type ChosenClient, type ClientStore, chooseClient } from "./choose-client.ts";
import { toConnectError } from "./connect-error.ts";
import { type ConnectTarget, toAddressText } from "./connect-target.ts";
import type { Attempt } from "./connection-secrets.ts";
import { toTargetRedirectUri } from "./describe-client.ts";
import { discoverServer } from "./discover-server.ts";
import type { OAuthNetwork } from "./oauth-fetch.ts";

export type BegunConnect = {
  /** Where the browser goes. */
  url: string;
  /** Comes back with the browser. */
  state: string;
  attempt: Attempt;
  clientKind: ChosenClient["kind"];
};

/** Finds the authorization server of a row's MCP server, and makes the request for a code. */
export async function beginConnect(
  network: Omit<OAuthNetwork, "policy">,
  target: ConnectTarget,
  baseUrl: string,
  clients?: ClientStore,
): Promise<BegunConnect> {
  const server = await discoverServer(network, target);
  const { client, kind } = await chooseClient(network, target, server, { baseUrl, clients });
  const { startAuthorization } = await import("@modelcontextprotocol/client");
  const { metadata, resource, scope } = server;
  const redirectUri = toTargetRedirectUri(baseUrl, target);
  const state = randomBytes(32).toString("base64url");
  try {
    const { authorizationUrl, codeVerifier } = await startAuthorization(metadata.issuer, {
      metadata,
      clientInformation: client,
      redirectUrl: redirectUri,
      state,
      ...(resource !== null && { resource }),
      ...(scope !== null && { scope }),
    });
    const address = toAddressText(target.address);
    return {
      url: authorizationUrl.href,
      state,
      clientKind: kind,
      attempt: { metadata, client, resource, scope, address, redirectUri, codeVerifier },
    };
  } catch (thrown) {
    throw toConnectError(thrown);
  }
}
