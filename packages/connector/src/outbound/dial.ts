import http, { type ClientRequest, type IncomingMessage } from "node:http";
import https from "node:https";
import { findAddress } from "./address.ts";
import type { Target } from "./find-target.ts";
import { toFraming } from "./frame-body.ts";
import { findAgent } from "./kept-connections.ts";
import { toNetworkError } from "./network-error.ts";
import { OutboundError } from "./outbound-error.ts";
import type { OutboundRequest } from "./outbound-request.ts";

type DialOptions = {
  signal: AbortSignal;
  /** Shared by all addresses of the host. */
  connectTimeoutMs: number;
  /** Certificate authorities to trust instead of the machine's, as PEM. */
  ca: string | undefined;
  /** Any request may use a connection that had an answer within the last second. */
  reusesBriefly: boolean;
  /** Requests use only kept connections of their own pool. */
  pool: string;
};

/**
 * Sends a request to the first of the target's addresses that accepts the connection. Resolves with
 * the answer's headers. It connects to the address itself, so that a second look-up cannot lead
 * elsewhere. The certificate is checked against the name.
 */
export async function dial(
  request: OutboundRequest,
  target: Target,
  options: DialOptions,
): Promise<IncomingMessage> {
  const addresses = target.addresses.slice(0, addressesMax);
  const connectTimeoutMs = Math.ceil(options.connectTimeoutMs / addresses.length);
  let failure: unknown;
  let hasConnected = false;
  for (const address of addresses) {
    const attempt = await dialAddress(request, target, { ...options, connectTimeoutMs, address });
    if (attempt.message !== null) return attempt.message;
    failure = attempt.failure;
    if (options.signal.aborted) throw options.signal.reason;
    hasConnected = attempt.hasConnected;
    if (hasConnected) break;
  }
  throw toNetworkError(target.hostname, failure, { hasConnected });
}

/** Enough for both address families. With more, each would have too little time. */
const addressesMax = 4;

type Attempt =
  | { message: IncomingMessage }
  | { message: null; failure: unknown /** The server may have seen it. */; hasConnected: boolean };

type AddressOptions = DialOptions & { address: string; mayReuse?: boolean };

/** These methods can be repeated without effect if the first request arrived. */
const repeatable = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

async function dialAddress(
  request: OutboundRequest,
  target: Target,
  options: AddressOptions,
): Promise<Attempt> {
  // A kept-alive connection may already be closed, so requests that must not be repeated use none, or
  // only one that is hardly idle. If the server has closed this one too, the request fails.
  const isRepeatable = repeatable.has(request.method);
  const mayReuse = options.mayReuse ?? (isRepeatable || options.reusesBriefly);
  const outgoing = open(request, target, { ...options, mayReuse });
  const { promise, resolve } = Promise.withResolvers<Attempt>();
  const progress = watchConnection(outgoing, target, options.connectTimeoutMs);
  const onAbort = () => outgoing.destroy();
  options.signal.addEventListener("abort", onAbort, { once: true });
  outgoing.on("error", (failure) =>
    resolve({ message: null, failure, hasConnected: progress.hasConnected() }),
  );
  outgoing.on("close", () =>
    resolve({ message: null, failure: undefined, hasConnected: progress.hasConnected() }),
  );
  outgoing.on("response", (message) => {
    // The reader of the body gets its errors. Without a listener, they would end the process.
    message.on("error", () => {});
    resolve({ message });
  });
  // An answer may follow in the same bytes, and would still be read.
  limitInterimAnswers(outgoing, target, (failure) =>
    resolve({ message: null, failure, hasConnected: true }),
  );
  if (options.signal.aborted) outgoing.destroy();
  else outgoing.end(request.body ?? undefined);
  const attempt = await promise;
  progress.stop();
  options.signal.removeEventListener("abort", onAbort);
  const isStale = attempt.message === null && outgoing.reusedSocket && !options.signal.aborted;
  if (!isStale || !isRepeatable) return attempt;
  const second = await dialAddress(request, target, { ...options, mayReuse: false });
  // The server may have seen the first one.
  return second.message === null ? { ...second, hasConnected: true } : second;
}

/** Servers send one or a few, such as 103 Early Hints. */
const interimAnswersMax = 32;

/** Attack: interim answers (1xx) without end would hold the event loop until the time limit. */
function limitInterimAnswers(
  outgoing: ClientRequest,
  { hostname }: Target,
  onExcess: (failure: OutboundError) => void,
): void {
  let count = 0;
  outgoing.on("information", () => {
    count += 1;
    if (count <= interimAnswersMax) return;
    const failure = new OutboundError(
      "network",
      `${hostname} sent more than ${interimAnswersMax} interim answers (1xx) instead of an answer.`,
    );
    onExcess(failure);
    outgoing.destroy(failure);
  });
}

function open(
  { method, url, headers, body }: OutboundRequest,
  target: Target,
  options: AddressOptions,
): ClientRequest {
  const isSecure = url.protocol === "https:";
  const sent = {
    host: options.address,
    port: target.port,
    method,
    path: url.pathname + url.search,
    headers: { ...Object.fromEntries(headers), host: url.host, ...toFraming(method, body) },
    agent: findAgent(isSecure, options),
    pool: options.pool,
    ...(isSecure && {
      servername: findAddress(target.hostname) === null ? target.hostname : "",
      rejectUnauthorized: true,
      ...(options.ca !== undefined && { ca: options.ca }),
    }),
  };
  return (isSecure ? https : http).request(sent);
}

/** Aborts the request if no connection is open in time. A reused connection is already open. */
function watchConnection(outgoing: ClientRequest, target: Target, timeoutMs: number) {
  let isConnected = false;
  const timer = setTimeout(() => {
    outgoing.destroy(
      new OutboundError(
        "timeout",
        `${target.hostname} (port ${target.port}) did not accept a connection in time. Check that it is running and that the hub's machine can reach it.`,
      ),
    );
  }, timeoutMs);
  const onConnected = () => {
    isConnected = true;
    clearTimeout(timer);
  };
  outgoing.on("socket", (socket) => {
    if (!socket.connecting) onConnected();
    else socket.once(target.url.protocol === "https:" ? "secureConnect" : "connect", onConnected);
  });
  return { hasConnected: () => isConnected, stop: () => clearTimeout(timer) };
}
