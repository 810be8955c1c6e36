import { createGuardedFetch, type GuardedFetchOptions, type OutboundPolicy } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { findJsonExcess } from "../../../lib/json/scan-json.ts";

export type OAuthNetwork = Pick<GuardedFetchOptions, "resolve" | "signal"> & {
  policy: OutboundPolicy;
  /** For one request with its answer. The default is 20,000. */
  timeoutMs?: number;
};

/** The requests of one sign-in, refresh or revocation. All pass the outbound guard. */
export type OAuthFetch = {
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  /** Why a request failed. The client library takes some failures for "there is no such document". */
  findFailure(): unknown;
  /** Of the latest answer; null before the first one. */
  findStatus(): number | null;
};

/** Metadata and tokens are a few kilobytes. */
const bodyBytesMax = 256 * 1024;

/** Large providers list some hundred scopes. */
const valuesMax = 5_000;
const depthMax = 32;

const advice = "An admin can list the host in HUB_OUTBOUND_ALLOW.";

export function createOAuthFetch({ timeoutMs = 20_000, ...network }: OAuthNetwork): OAuthFetch {
  const guardedFetch = createGuardedFetch({ ...network, timeoutMs, bodyBytesMax, advice });
  let failure: unknown = null;
  let lastStatus: number | null = null;
  return {
    async fetch(input, init = {}) {
      try {
        // The library follows redirects itself, within the origin of the request.
        const response = await guardedFetch(input, { redirect: "error", ...init });
        const { status, headers, url, redirected } = response;
        lastStatus = status;
        // Read here, so that a failure of the body is one of the request.
        const text = await response.text();
        checkSize(text);
        const hasBody = ![101, 204, 205, 304].includes(status);
        const read = new Response(hasBody ? text : null, { status, headers });
        Object.defineProperty(read, "url", { value: url });
        Object.defineProperty(read, "redirected", { value: redirected });
        return read;
      } catch (thrown) {
        failure ??= thrown;
        throw thrown;
      }
    },
    findFailure: () => failure,
    findStatus: () => lastStatus,
  };
}

/**
 * Attack: the client library's schemas describe the faults of all items of a list, which takes a second for 256 KiB of
 * them.
 */
function checkSize(text: string): void {
  if (findJsonExcess(text, { depthMax, valuesMax }) === null) return;
  throw new HubError(
    "upstream_error",
    `An answer of the authorization server is nested deeper than ${depthMax} levels, or has more than ${valuesMax} values. Ask its operator.`,
  );
}
