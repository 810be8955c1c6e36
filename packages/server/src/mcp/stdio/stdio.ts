import { toBytesText } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { HubError, toHubError } from "../../errors.ts";
import { largeBytes } from "../../lib/time/yield-to-event-loop.ts";
import type {
  CallContext,
  ClientTold,
  LateNotices,
  ProgressReport,
} from "../../operations/operations.ts";
import { toContentKinds } from "../frames/content-kinds.ts";
import {
  type Frame,
  type NotificationFrame,
  notUtf8,
  type RequestFrame,
  readFrame,
  toIdText,
} from "../frames/frame.ts";
import { createProgressWriter, hasProgressToken } from "../frames/progress.ts";
import { toErrorFrame, toNotificationFrame } from "../frames/write-frame.ts";
import { readSessionClient, readStatelessClient } from "../modes/client-told.ts";
import { isStateless, readMeta } from "../modes/protocol-mode.ts";
import { metaKeys } from "../modes/protocol-versions.ts";
import type { AnswerDeps } from "../replies/answer-post.ts";
import { type Accepted, acceptRequest, refuseRequest, runRequest } from "../replies/dispatch.ts";
import { LineWriter } from "./line-writer.ts";
import { type Line, readLines } from "./read-lines.ts";

export type StdioOptions = {
  input: AsyncIterable<Uint8Array>;
  output: WritableStream<Uint8Array>;
  /** Finds the user that the client acts as, once per request; null if that user is not active. */
  findCaller(): Promise<Caller | null>;
  /** Ends the service before its input ends. */
  signal?: AbortSignal;
};

/** The same limit as for a body over HTTP. */
const lineBytesMax = 4 * 1024 * 1024;

/**
 * At this many open requests, reading pauses. It is above the limit of running calls, so that a
 * client at that limit can still send cancellations.
 */
const answersMax = 20_000;

const origin = { source: "mcp" as const, ip: null, userAgent: null };

type Connection = {
  writer: LineWriter;
  findCaller: StdioOptions["findCaller"];
  /** Replaces the session id in the names of calls, because a connection serves one client. */
  id: string;
  /** Aborts every call of the connection. */
  closing: AbortSignal;
  /** Aborts at the end of the input: no answer of the client comes any more. */
  ended: AbortSignal;
  /** Aborts with either. */
  gone: AbortSignal;
  /** The protocol version that the client asked for; null before it did. */
  version: string | null;
  /** What the client declared in `initialize`; null before it did. */
  client: ClientTold | null;
};

/**
 * Serves one client. Requests run concurrently, so that a long one does not delay others. At the end
 * of the input, running calls are finished. When the reader of the output has gone, they are
 * cancelled.
 */
export async function serveStdio(deps: AnswerDeps, options: StdioOptions): Promise<void> {
  const closing = new AbortController();
  const close = () => closing.abort(new HubError("cancelled", "The client has gone."));
  const ended = new AbortController();
  const connection: Connection = {
    writer: new LineWriter(options.output, close),
    findCaller: options.findCaller,
    id: crypto.randomUUID(),
    closing: closing.signal,
    ended: ended.signal,
    gone: AbortSignal.any([closing.signal, ended.signal]),
    version: null,
    client: null,
  };
  options.signal?.addEventListener("abort", close, { once: true });
  // The signal may have aborted while the hub was still starting.
  if (options.signal?.aborted) close();
  const answers: Set<Promise<void>> = new Set();
  let recordEnd = () => {};

  for await (const line of until(closing.signal, readLines(options.input, lineBytesMax))) {
    const answer = answerLine(deps, connection, line).finally(() => {
      answers.delete(answer);
      recordEnd();
    });
    answers.add(answer);
    await connection.writer.waitForCapacity();
    while (answers.size >= answersMax) {
      const { promise, resolve } = Promise.withResolvers<void>();
      recordEnd = resolve;
      await promise;
    }
  }
  ended.abort();
  await Promise.all(answers);
  await connection.writer.flush();
}

async function answerLine(deps: AnswerDeps, connection: Connection, line: Line): Promise<void> {
  const frame = toFrame(line);
  switch (frame.kind) {
    case "refused":
      return connection.writer.write(toErrorFrame(frame.id, frame.error));
    case "response":
      return deps.clientRequests.complete({ owner: "stdio", session: connection.id }, frame);
    case "notification":
      return cancelNamed(deps, connection, frame);
    case "request":
      return answerRequest(deps, connection, frame);
  }
}

function toFrame(line: Line): Frame {
  switch (line.kind) {
    case "text":
      return readFrame(line.text);
    case "too_long":
      return tooLong;
    case "not_utf8":
      return notUtf8;
  }
}

const tooLong: Frame = {
  kind: "refused",
  id: "null",
  error: new HubError("body_too_large", `A message is at most ${toBytesText(lineBytesMax)} long.`),
};

function cancelNamed(
  { inFlight }: AnswerDeps,
  { id }: Connection,
  { method, params }: NotificationFrame,
): void {
  const requestId = toIdText(params?.requestId);
  if (method !== "notifications/cancelled" || requestId === null) return;
  inFlight.cancel({ owner: "stdio", session: id, id: requestId });
}

async function answerRequest(
  deps: AnswerDeps,
  connection: Connection,
  request: RequestFrame,
): Promise<void> {
  const { writer, id, closing } = connection;
  // Registered before the first await, because the next line may cancel it.
  const call = deps.inFlight.start({ owner: "stdio", session: id, id: request.id }, request.chars);
  const signal = AbortSignal.any([call.signal, closing]);
  const progress = writer.openProgress();
  signal.addEventListener("abort", progress.clear, { once: true });
  try {
    const text = await answer(deps, connection, request, signal, (frame) => {
      if (!signal.aborted) progress.put(frame);
    });
    // MCP forbids a reply to a cancelled request.
    if (!signal.aborted) writer.write(text);
  } catch (thrown) {
    const failure = toHubError(thrown);
    deps.log.error({ err: failure.cause }, "A request failed inside the hub");
    writer.write(toErrorFrame(request.id, failure));
  } finally {
    call.end();
  }
}

/** The reply's frame. */
async function answer(
  deps: AnswerDeps,
  connection: Connection,
  request: RequestFrame,
  signal: AbortSignal,
  sendProgress: (frame: string) => void,
): Promise<string> {
  const mode = isStateless(request, null) ? deps.modes.stateless : deps.modes.session;
  const contentKinds = toContentKinds(recordVersion(connection, request));
  const caller = await connection.findCaller();
  if (caller === null) return toErrorFrame(request.id, refuseCaller());
  const accepted = acceptRequest(mode, request, null);
  if (accepted instanceof HubError) {
    return (await refuseRequest(mode, request, { caller, origin, signal }, accepted)).text;
  }
  const writeProgress = createProgressWriter(accepted.params);
  const onProgress = (report: ProgressReport) => {
    const frame = writeProgress(report);
    if (frame !== null) sendProgress(frame);
  };
  const largeChars = request.chars > largeBytes ? request.chars : 0;
  const { findCaller } = connection;
  const progress = { onProgress, hasProgressToken: hasProgressToken(accepted.params) };
  const asking = toAsking(deps, connection, accepted, signal);
  const ctx = {
    caller,
    findCaller,
    origin,
    signal,
    ...progress,
    ...asking,
    contentKinds,
    largeChars,
  };
  const { writer, ended } = connection;
  const replyWriter = {
    ended,
    send: (frame: string) => writer.write(frame),
    waitForReader: () => writer.waitForCapacity(),
  };
  return (await runRequest(deps, accepted, ctx, replyWriter)).text;
}

/** How the client of a request is asked. */
function toAsking(
  { clientRequests }: AnswerDeps,
  { id, writer, client, ended, gone }: Connection,
  { mode, params }: Accepted,
  signal: AbortSignal,
): Pick<CallContext, "client" | "askClient" | "lateNotices"> {
  if (mode.name === "stateless") return { client: readStatelessClient(readMeta(params)) };
  if (client === null) return {};
  const send = (frame: string) => writer.write(frame);
  const session = { owner: "stdio", session: id };
  const askClient: CallContext["askClient"] = (asked) =>
    clientRequests.open(session, send, AbortSignal.any([signal, ended]))(asked);
  if (!client.elicitation.url) return { client, askClient };
  const sendNotice: LateNotices["send"] = (method, given) =>
    send(toNotificationFrame(method, given));
  return { client, askClient, lateNotices: { send: sendNotice, ended: gone } };
}

/** The version of a request: its own, or that of the connection. */
function recordVersion(connection: Connection, { method, params }: RequestFrame): string | null {
  if (method === "initialize" && typeof params?.protocolVersion === "string") {
    connection.version = params.protocolVersion;
    connection.client = readSessionClient(params);
  }
  const own = readMeta(params)[metaKeys.protocolVersion];
  return typeof own === "string" ? own : connection.version;
}

function refuseCaller(): HubError {
  return new HubError("unauthorized", "This user may no longer use the hub. Ask an admin.");
}

/** Yields from `source` until the signal aborts, also while waiting for the next value. */
async function* until<Value>(
  signal: AbortSignal,
  source: AsyncGenerator<Value>,
): AsyncGenerator<Value> {
  let wake = () => {};
  signal.addEventListener("abort", () => wake(), { once: true });
  while (!signal.aborted) {
    const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<Value> | null>();
    wake = () => resolve(null);
    source.next().then(resolve, reject);
    const next = await promise;
    if (next === null || next.done) return;
    yield next.value;
  }
}
