import type { ServerMetadata } from "./connection-secrets.ts";
import { createOAuthFetch, type OAuthFetch, type OAuthNetwork } from "./oauth-fetch.ts";
import { findIdentity, toStandardAnswer } from "./provider-answers.ts";

export type TokenFetch = OAuthFetch & {
  /** Who the tokens are of, if an answer said so. Shown to their user only. */
  findIdentity(): string | null;
};

/**
 * The requests to a token endpoint. Providers whose addresses an admin typed are not held to the standard: their answers are
 * brought into its form, and they get the body that they read.
 */
export function createTokenFetch(network: OAuthNetwork, metadata: ServerMetadata): TokenFetch {
  const oauth = createOAuthFetch(network);
  let identity: string | null = null;
  if (!metadata.is_given) return { ...oauth, findIdentity: () => identity };
  let status: number | null = null;
  return {
    ...oauth,
    findIdentity: () => identity,
    findStatus: () => status ?? oauth.findStatus(),
    async fetch(input, init = {}) {
      const response = await oauth.fetch(input, metadata.sends_json ? toJsonRequest(init) : init);
      const answer = await toStandardAnswer(response);
      identity = findIdentity(answer.members) ?? identity;
      status = answer.response.status;
      return answer.response;
    },
  };
}

function toJsonRequest(init: RequestInit): RequestInit {
  if (!(init.body instanceof URLSearchParams)) return init;
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json");
  return { ...init, headers, body: JSON.stringify(Object.fromEntries(init.body)) };
}
