import {
  createGuardedFetch,
  type GuardedFetchOptions,
  OutboundError,
  type OutboundPolicy,
  readRequestedWait,
  UpstreamError,
} from "@hub/connector";
import type { AnswerBudget } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { raceAbort } from "../../../plugins/process/race-abort.ts";
import { createMessageGate } from "../messages/message-gate.ts";
import type { OpenRequests } from "../messages/open-requests.ts";
import { readEvents } from "../messages/read-message-events.ts";
import { readMessages } from "../messages/read-messages.ts";
import { replaceBody, watchBody } from "../results/response-body.ts";
import { toStatusError } from "../results/to-upstream-error.ts";
import { type SessionAccount, sendAuthorized } from "../send-authorized.ts";

/** One message of a server, such as a result. */
export const messageBytesMax = 8 * 1024 * 1024;

/** What a server may send in a session without being asked. Then the hub no longer listens. */
const unaskedBytesMax = 4 * 1024 * 1024;

/** All events of one HTTP+SSE connection; they contain the answers too. */
const eventBytesMax = 256 * 1024 * 1024;

/** A stream of events is opened again after this time. The time limit of a call is its own. */
const streamMs = 60 * 60_000;

/** A session opens so many streams one after another, and then one a second. */
const openingsAtOnce = 10;
const openingEveryMs = 1000;

/** For requests that belong to no call. */
const controlMs = 60_000;

/** Marks the request of a call; the header is removed before it is sent. */
const callHeader = "x-hub-call";

/** The call that a request is made for. */
export type SessionCall = {
  recordHttpStatus(status: number): void;
  /** Taken from for a large answer, before more of it is read. */
  memory: AnswerBudget;
};

export type SessionFetchOptions = Pick<GuardedFetchOptions, "resolve"> & {
  rowId: string;
  policy: OutboundPolicy;
  /** Headers of each request, such as the authentication. */
  toHeaders(): Promise<readonly (readonly [string, string])[]>;
  /** The row's OAuth connection; absent if it has none. */
  account?: SessionAccount;
  /** The server answers requests with events on one connection, as HTTP+SSE does. */
  hasOneStream: boolean;
  timers: Timers;
  requests: OpenRequests;
  /** Reserves steps of the event loop. Null if they are free, otherwise a promise to await first. */
  takeSteps(steps: number): Promise<void> | null;
};

export type OpenCall = {
  headers: Record<string, string>;
  /** Aborts if the answer ends without a result. */
  lost: AbortSignal;
  end(): void;
};

/** The requests of one session. All pass the outbound guard. */
export type SessionFetch = {
  fetch(input: string | URL, init?: RequestInit): Promise<Response>;
  /** Headers that mark the request of this call. `end` closes its answer. */
  beginCall(call: SessionCall): OpenCall;
  /** Ends the call of these headers, because its answer ended without a result. */
  endStream(headers: Readonly<Record<string, string>> | undefined): void;
  /** The latest failure of the network, refusal of the guard, or lack of a token. */
  findFailure(): OutboundError | HubError | null;
};

type GuardedFetch = ReturnType<typeof createGuardedFetch>;

type MarkedCall = SessionCall & {
  /** Closes the answer. */
  stream: AbortController;
  lost: AbortController;
  /** Why reading the answer failed. */
  failure: Error | null;
};

export function createSessionFetch(options: SessionFetchOptions): SessionFetch {
  return new GuardedSession(options);
}

/** What a request is for: a call, or listening to what the server sends of its own. */
type Purpose = { call: MarkedCall | undefined; isListening: boolean };

class GuardedSession implements SessionFetch {
  readonly #options: SessionFetchOptions;
  readonly #calls = new Map<string, MarkedCall>();
  readonly #sendControl: GuardedFetch;
  readonly #sendCall: GuardedFetch;
  readonly #listen: GuardedFetch;
  #callCount = 0;
  #unaskedBytes = 0;
  #opensAt = Number.NEGATIVE_INFINITY;
  #failure: OutboundError | HubError | null = null;

  constructor(options: SessionFetchOptions) {
    const { rowId, policy, resolve, hasOneStream } = options;
    this.#options = options;
    // All messages are POST requests: a TLS connection for each would take several times as long.
    const network = { policy, pool: rowId, ...(resolve !== undefined && { resolve }) };
    const open = (timeoutMs: number, bodyBytesMax: number) =>
      createGuardedFetch({ ...network, reusesBriefly: true, timeoutMs, bodyBytesMax });
    this.#sendControl = open(controlMs, messageBytesMax);
    this.#sendCall = open(streamMs, messageBytesMax);
    this.#listen = open(streamMs, hasOneStream ? eventBytesMax : unaskedBytesMax);
  }

  async fetch(input: string | URL, init?: RequestInit): Promise<Response> {
    try {
      return await this.#fetchInSession(input, init);
    } catch (thrown) {
      if (thrown instanceof OutboundError || thrown instanceof HubError) this.#failure = thrown;
      throw thrown;
    }
  }

  beginCall({ recordHttpStatus, memory }: SessionCall): OpenCall {
    this.#callCount += 1;
    const id = String(this.#callCount);
    // After a cancellation the library still tells the server; then `end` closes the stream.
    const [stream, lost] = [new AbortController(), new AbortController()];
    this.#calls.set(id, { stream, lost, recordHttpStatus, memory, failure: null });
    const end = () => {
      this.#calls.delete(id);
      stream.abort(new Error("the call has ended"));
    };
    return { headers: { [callHeader]: id }, lost: lost.signal, end };
  }

  endStream(headers: Readonly<Record<string, string>> | undefined): void {
    const lost = new UpstreamError("The MCP server ended its answer without a result. Try again.");
    const call = this.#calls.get(headers?.[callHeader] ?? "");
    call?.lost.abort(call.failure ?? lost);
  }

  findFailure(): OutboundError | HubError | null {
    return this.#failure;
  }

  async #fetchInSession(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const { toHeaders, hasOneStream } = this.#options;
    const headers = new Headers(init.headers);
    for (const [name, value] of await toHeaders()) headers.set(name, value);
    const call = this.#calls.get(headers.get(callHeader) ?? "");
    headers.delete(callHeader);
    const isListening = (init.method ?? "GET") === "GET";
    // The client library reads 405 as "this server sends nothing of its own".
    if (isListening && !hasOneStream && this.#unaskedBytes >= unaskedBytesMax) {
      return new Response(null, { status: 405 });
    }
    if (isListening) await this.#waitForOpening(init.signal ?? undefined);
    const purpose = { call, isListening };
    const response = await this.#send(input, { ...init, headers }, purpose);
    if (call !== undefined) await checkWait(response);
    return await this.#readAnswer(response, purpose);
  }

  /** A server that ends each stream at once would be asked without a pause. */
  async #waitForOpening(signal: AbortSignal | undefined): Promise<void> {
    const { timers } = this.#options;
    this.#opensAt = Math.max(this.#opensAt, timers.now() - (openingsAtOnce - 1) * openingEveryMs);
    const waitMs = this.#opensAt - timers.now();
    this.#opensAt += openingEveryMs;
    if (waitMs <= 0) return;
    const waited = new Promise<void>((resolve) => timers.after(waitMs, resolve));
    await (signal === undefined ? waited : raceAbort(waited, signal));
  }

  async #send(
    input: string | URL,
    init: RequestInit & { headers: Headers },
    { call, isListening }: Purpose,
  ): Promise<Response> {
    const { account } = this.#options;
    const { headers } = init;
    const sendCall = call === undefined ? this.#sendControl : this.#sendCall;
    const send = isListening ? this.#listen : sendCall;
    const signals = [init.signal, call?.stream.signal].filter(
      (signal) => signal instanceof AbortSignal,
    );
    const signal = AbortSignal.any(signals);
    const sendWith = async (token: string | null) => {
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      const response = await send(input, { ...init, signal });
      call?.recordHttpStatus(response.status);
      return response;
    };
    if (account === undefined) return await sendWith(null);
    return await sendAuthorized(account, new URL(input), signal, sendWith);
  }

  async #readAnswer(response: Response, purpose: Purpose): Promise<Response> {
    const { body } = response;
    if (body === null) return response;
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/json") && response.ok) {
      return replaceBody(
        response,
        await readMessages(response, purpose.call?.memory, this.#options),
      );
    }
    if (!type.startsWith("text/event-stream")) return response;
    return replaceBody(response, this.#watchEvents(body, purpose));
  }

  #watchEvents(
    body: ReadableStream<Uint8Array>,
    { call, isListening }: Purpose,
  ): ReadableStream<Uint8Array> {
    const { takeSteps, timers, requests } = this.#options;
    const gate = createMessageGate<string>({ now: timers.now, requests });
    const reading = { messageBytesMax, budget: call?.memory, gate, takeSteps };
    return watchBody(readEvents(body, reading), {
      onChunk: (bytes) => {
        if (isListening) this.#unaskedBytes += bytes;
      },
      onError: (thrown) => {
        if (call !== undefined && thrown instanceof Error) call.failure = thrown;
      },
    });
  }
}

/** The error of the client library has no headers. */
async function checkWait(response: Response): Promise<void> {
  const waitS = readRequestedWait(response, { now: Date.now() });
  if (waitS === null) return;
  await response.body?.cancel();
  throw toStatusError(response.status, { retryAfterS: waitS });
}
