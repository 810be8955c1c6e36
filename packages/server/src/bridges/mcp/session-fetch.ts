import {
  createGuardedFetch,
  type GuardedFetchOptions,
  OutboundError,
  type OutboundPolicy,
  readRequestedWait,
  UpstreamError,
} from "@hub/connector";
import { readBytes } from "../../connectors/builtin/http/answer.ts";
import type { AnswerBudget } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/timers.ts";
import { raceAbort } from "../../plugins/process/race-abort.ts";
import { checkMessage } from "./check-message.ts";
import { hideDigits } from "./keep-digits.ts";
import { createMessageGate, type MessageGate, toMessageSteps } from "./messages/message-gate.ts";
import type { OpenRequests } from "./messages/open-requests.ts";
import { aloneCharsMin, readEvents } from "./messages/read-events.ts";
import { toStatusError } from "./to-upstream-error.ts";

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
  noteHttpStatus(status: number): void;
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
  /** Asks for steps of the event loop: null, or a promise to await first. */
  takeSteps(steps: number): Promise<void> | null;
};

/** The access token of a session's requests. */
export type SessionAccount = {
  /** Throws if there is none, or if it is not for this address. */
  findToken(url: URL, signal: AbortSignal): Promise<string>;
  /** Another token after the server refused this one. Throws if there is none. */
  renewToken(url: URL, refused: string, signal: AbortSignal): Promise<string>;
  /** Throws if the answer is a refusal of the token or of its scopes. */
  checkAnswer(response: Response): Promise<void>;
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

const utf8 = new TextDecoder();

type MarkedCall = SessionCall & {
  /** Closes the answer. */
  stream: AbortController;
  lost: AbortController;
  /** Why reading the answer failed. */
  failure: Error | null;
};

export function createSessionFetch(options: SessionFetchOptions): SessionFetch {
  const { rowId, policy, resolve, toHeaders, account, hasOneStream, takeSteps } = options;
  const calls = new Map<string, MarkedCall>();
  let callCount = 0;
  let unaskedBytes = 0;
  let opensAt = Number.NEGATIVE_INFINITY;
  let failure: OutboundError | HubError | null = null;
  // All messages are POST requests: a TLS connection for each would take several times as long.
  const network = { policy, pool: rowId, ...(resolve !== undefined && { resolve }) };
  const limits = { ...network, reusesBriefly: true };
  const sendControl = createGuardedFetch({
    ...limits,
    timeoutMs: controlMs,
    bodyBytesMax: messageBytesMax,
  });
  const sendCall = createGuardedFetch({
    ...limits,
    timeoutMs: streamMs,
    bodyBytesMax: messageBytesMax,
  });
  const listen = createGuardedFetch({
    ...limits,
    timeoutMs: streamMs,
    bodyBytesMax: hasOneStream ? eventBytesMax : unaskedBytesMax,
  });

  /** A server that ends each stream at once would be asked without a pause. */
  async function waitForOpening(signal: AbortSignal | undefined): Promise<void> {
    const { timers } = options;
    opensAt = Math.max(opensAt, timers.now() - (openingsAtOnce - 1) * openingEveryMs);
    const waitMs = opensAt - timers.now();
    opensAt += openingEveryMs;
    if (waitMs <= 0) return;
    const waited = new Promise<void>((resolve) => timers.after(waitMs, resolve));
    await (signal === undefined ? waited : raceAbort(waited, signal));
  }

  async function fetchInSession(input: string | URL, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of await toHeaders()) headers.set(name, value);
    const call = calls.get(headers.get(callHeader) ?? "");
    headers.delete(callHeader);
    const isListening = (init.method ?? "GET") === "GET";
    // The client library reads 405 as "this server sends nothing of its own".
    if (isListening && !hasOneStream && unaskedBytes >= unaskedBytesMax) {
      return new Response(null, { status: 405 });
    }
    if (isListening) await waitForOpening(init.signal ?? undefined);
    const send = isListening ? listen : call === undefined ? sendControl : sendCall;
    const signals = [init.signal, call?.stream.signal].filter(
      (signal) => signal instanceof AbortSignal,
    );
    const signal = AbortSignal.any(signals);
    const sendWith = async (token: string | null) => {
      if (token !== null) headers.set("authorization", `Bearer ${token}`);
      const response = await send(input, { ...init, headers, signal });
      call?.noteHttpStatus(response.status);
      return response;
    };
    const response =
      account === undefined
        ? await sendWith(null)
        : await sendAuthorized(account, new URL(input), signal, sendWith);
    if (call !== undefined) await checkWait(response);
    if (response.body === null) return response;
    const type = response.headers.get("content-type") ?? "";
    if (type.startsWith("application/json") && response.ok) {
      const text = utf8.decode(await readBytes(response, call?.memory));
      const steps = toMessageSteps(text.length);
      const turn = takeSteps(steps);
      if (turn !== null) await turn;
      checkMessage(text);
      const { now } = options.timers;
      const hidden = hideDigits(text);
      // The library parses a long one in another turn.
      if (text.length > aloneCharsMin) await takeSteps(steps);
      const gate = createMessageGate<unknown>({ now, requests: options.requests });
      return replaceBody(response, isList(hidden) ? takeOwn(hidden, gate) : hidden);
    }
    if (!type.startsWith("text/event-stream")) return response;
    const gate = createMessageGate<string>({ now: options.timers.now, requests: options.requests });
    const reading = { messageBytesMax, budget: call?.memory, gate, takeSteps };
    const body = watchBody(readEvents(response.body, reading), {
      onChunk(bytes) {
        if (isListening) unaskedBytes += bytes;
      },
      onError(thrown) {
        if (call !== undefined && thrown instanceof Error) call.failure = thrown;
      },
    });
    return replaceBody(response, body);
  }

  return {
    async fetch(input, init) {
      try {
        return await fetchInSession(input, init);
      } catch (thrown) {
        if (thrown instanceof OutboundError || thrown instanceof HubError) failure = thrown;
        throw thrown;
      }
    },
    beginCall({ noteHttpStatus, memory }) {
      callCount += 1;
      const id = String(callCount);
      // After a cancellation the library still tells the server; then `end` closes the stream.
      const [stream, lost] = [new AbortController(), new AbortController()];
      calls.set(id, { stream, lost, noteHttpStatus, memory, failure: null });
      return {
        headers: { [callHeader]: id },
        lost: lost.signal,
        end() {
          calls.delete(id);
          stream.abort(new Error("the call has ended"));
        },
      };
    },
    endStream(headers) {
      const lost = new UpstreamError(
        "The MCP server ended its answer without a result. Try again.",
      );
      const call = calls.get(headers?.[callHeader] ?? "");
      call?.lost.abort(call.failure ?? lost);
    },
    findFailure: () => failure,
  };
}

/** The error of the client library has no headers. */
async function checkWait(response: Response): Promise<void> {
  const waitS = readRequestedWait(response, { now: Date.now() });
  if (waitS === null) return;
  await response.body?.cancel();
  throw toStatusError(response.status, { retryAfterS: waitS });
}

const isList = (text: string) => text.trimStart().startsWith("[");

/** Of a list of messages, which an older protocol allows, those that pass. */
function takeOwn(text: string, gate: MessageGate<unknown>): string {
  const list: unknown = JSON.parse(text);
  const own = Array.isArray(list) ? list.flatMap((message) => gate.admit(message, message)) : [];
  return JSON.stringify(own);
}

/** A server that answers 401 has not run the request, so it is sent again with another token. */
async function sendAuthorized(
  account: SessionAccount,
  url: URL,
  signal: AbortSignal,
  send: (token: string) => Promise<Response>,
): Promise<Response> {
  const token = await account.findToken(url, signal);
  const first = await send(token);
  if (first.status !== 401) {
    await account.checkAnswer(first);
    return first;
  }
  await first.body?.cancel();
  const second = await send(await account.renewToken(url, token, signal));
  await account.checkAnswer(second);
  return second;
}

type BodyWatcher = { onChunk(bytes: number): void; onError(thrown: unknown): void };

/** Passes a body on as it is read. */
function watchBody(
  body: ReadableStream<Uint8Array>,
  { onChunk, onError }: BodyWatcher,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            controller.close();
            return;
          }
          onChunk(value.byteLength);
          controller.enqueue(value);
        } catch (thrown) {
          onError(thrown);
          controller.error(thrown);
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

function replaceBody(response: Response, body: ReadableStream<Uint8Array> | string): Response {
  const { status, statusText, headers, url, redirected } = response;
  const replaced = new Response(body, { status, statusText, headers });
  // The client library compares the address to find redirects.
  Object.defineProperty(replaced, "url", { value: url });
  Object.defineProperty(replaced, "redirected", { value: redirected });
  return replaced;
}
