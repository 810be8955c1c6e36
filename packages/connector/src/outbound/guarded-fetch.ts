import type { IncomingMessage } from "node:http";
import { toDurationText } from "../duration-text.ts";
import type { ConnectorLog } from "../operation-context.ts";
import { createDeadline, type Deadline, raceSignal } from "./deadline.ts";
import type { dial } from "./dial.ts";
import { findTarget, type ResolveName, resolveByMachine } from "./find-target.ts";
import { findRedirect, followRedirect } from "./follow-redirect.ts";
import { OutboundError } from "./outbound-error.ts";
import { type OutboundPolicy, type OutboundRules, toOutboundRules } from "./outbound-policy.ts";
import { type FetchInit, type OutboundRequest, toOutboundRequest } from "./outbound-request.ts";

/**
 * The same as the global `fetch`, but only to destinations that the policy allows. Rejects with an
 * OutboundError or with the reason of the aborted signal. Reading the body can reject with both
 * too.
 */
export type GuardedFetch = (input: string | URL | Request, init?: FetchInit) => Promise<Response>;

export type GuardedFetchOptions = {
  policy: OutboundPolicy;
  /** For a whole call, including redirects and the body. The default is 60,000. */
  timeoutMs?: number;
  /** For one connection. The default is 10,000. */
  connectTimeoutMs?: number;
  /** After decompression. The default is 16 MiB. */
  bodyBytesMax?: number;
  /** Aborts every call of this fetch, in addition to the signals of single calls. */
  signal?: AbortSignal;
  /** Resolves host names. The default is the machine's resolver. */
  resolve?: ResolveName;
  /** Certificate authorities to trust instead of the machine's, as PEM. */
  ca?: string;
  log?: Pick<ConnectorLog, "debug">;
  /**
   * Lets requests that must not be repeated, such as POST, use a connection that had an answer within the
   * last second. One that the server closes meanwhile fails. The default is a new connection for each.
   */
  reusesBriefly?: boolean;
  /**
   * Whose kept connections the requests may use, such as the id of a row: fetches with the same pool share
   * them. The default is a pool of this fetch alone.
   */
  pool?: string;
  /**
   * The one metadata service of a cloud that may be called, as `URL.host` of an address. Only clients that sign in with the
   * identity of the machine have one: never a connector.
   */
  metadataHost?: string;
  /** What an admin can do about a refused address: a sentence. The default names the row's fields. */
  advice?: string;
};

const redirectsMax = 5;

/** Creates a fetch for one row. It has no open resources, so it need not be closed. */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { timeoutMs = 60_000, bodyBytesMax = 16 * 1024 * 1024 } = options;
  const { pool = crypto.randomUUID() } = options;
  let rules: OutboundRules | undefined;
  return async function guardedFetch(input, init = {}) {
    rules ??= toOutboundRules(options.policy);
    const request = await toOutboundRequest(input, init);
    const requestSignal = init.signal ?? (input instanceof Request ? input.signal : null);
    const deadline = createDeadline(timeoutMs, [options.signal, requestSignal], () =>
      toTimeout(request.url, timeoutMs),
    );
    try {
      httpLibrary ??= loadHttpLibrary();
      const { dial, toResponse } = await httpLibrary;
      const final = await send({ ...options, pool, dial }, rules, request, deadline);
      const redirected = final.request !== request;
      return await toResponse(final.request, final.message, {
        deadline,
        bodyBytesMax,
        redirected,
      });
    } catch (thrown) {
      deadline.clear();
      throw thrown;
    }
  };
}

/** Loaded with the first request of any row, so that programs start without it. An import takes its time again. */
let httpLibrary: ReturnType<typeof loadHttpLibrary> | undefined;

async function loadHttpLibrary() {
  const { dial } = await import("./dial.ts");
  const { toResponse } = await import("./to-response.ts");
  return { dial, toResponse };
}

type Answered = { request: OutboundRequest; message: IncomingMessage };

/** Sends the request and follows redirects. The guard checks each request. */
async function send(
  options: GuardedFetchOptions & { pool: string; dial: typeof dial },
  rules: OutboundRules,
  first: OutboundRequest,
  deadline: Deadline,
): Promise<Answered> {
  const { resolve = resolveByMachine, connectTimeoutMs = 10_000, ca, log, dial, advice } = options;
  const { metadataHost } = options;
  const { reusesBriefly = false, pool } = options;
  const { signal } = deadline;
  let request = first;
  for (let redirects = 0; redirects <= redirectsMax; redirects += 1) {
    const sent = request;
    const dialing = raceSignal(
      findTarget({ rules, resolve, advice, metadataHost }, sent.url),
      signal,
    ).then((target) => dial(sent, target, { signal, connectTimeoutMs, ca, reusesBriefly, pool }));
    const message = await (redirects === 0 ? dialing : dialing.catch(throwAsSent));
    const { statusCode: status = 0, headers } = message;
    log?.debug("outbound", { method: request.method, host: request.url.host, status });
    const redirect = findRedirect(request, { status, location: headers.location });
    if (redirect === null) return { request, message };
    message.destroy();
    request = followRedirect(request, redirect);
  }
  throw new OutboundError(
    "too_many_redirects",
    `${first.url.host} redirects more than ${redirectsMax} times. An admin can set the final address in the row.`,
  );
}

/** The server that redirected has seen the request. */
function throwAsSent(thrown: unknown): never {
  if (!(thrown instanceof OutboundError) || !thrown.isUnsent) throw thrown;
  throw new OutboundError(thrown.code, thrown.message, { cause: thrown.cause });
}

function toTimeout(url: URL, timeoutMs: number): OutboundError {
  return new OutboundError(
    "timeout",
    `${url.host} did not answer completely within ${toDurationText(timeoutMs)}. Request less data at a time, or try again later.`,
  );
}
