import type { Caller } from "../../caller.ts";
import { errorTable, HubError } from "../../errors.ts";
import type { RefusalLog } from "../../lib/logs/refusal-log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { largeBytes, yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { CallContext, CallOrigin, ClientTold } from "../../operations/operations.ts";
import { toContentKinds } from "../frames/content-kinds.ts";
import {
  type Frame,
  type NotificationFrame,
  notUtf8,
  type RequestFrame,
  type ResponseFrame,
  readFrame,
  toIdText,
} from "../frames/frame.ts";
import { createProgressWriter, hasProgressToken } from "../frames/progress.ts";
import { readReplyForm } from "../frames/reply-form.ts";
import { toErrorFrame } from "../frames/write-frame.ts";
import { readSessionClient, readStatelessClient } from "../modes/client-told.ts";
import { type EnteredSession, type Sessions, sessionHeader } from "../modes/mcp-sessions.ts";
import {
  isStateless,
  type ProtocolMode,
  protocolVersionHeader,
  readMeta,
} from "../modes/protocol-mode.ts";
import type { CancelElsewhere } from "./cancel-elsewhere.ts";
import type { ClientRequests } from "./client-requests.ts";
import {
  type Accepted,
  acceptRequest,
  type DispatchDeps,
  refuseRequest,
  runRequest,
} from "./dispatch.ts";
import type { CallInFlight, InFlight } from "./in-flight.ts";
import { openReply, toJsonResponse, toResponse } from "./open-reply.ts";

/** An authenticated POST whose body has been read. */
export type HttpPost = {
  /** Null if the bytes were not valid UTF-8. */
  body: string | null;
  headers: Headers;
  caller: Caller;
  /** The caller as stored now; null if the right was taken away since the request began. */
  findCaller(): Promise<Caller | null>;
  origin: Pick<CallOrigin, "ip" | "userAgent">;
  /** Aborts when the client disconnects. A function, because creating the signal has a cost. */
  disconnectSignal(): AbortSignal;
  /** As that of a call's context. */
  waitForTurn?(signal: AbortSignal): Promise<void> | null;
  /** Suspends the idle timeout of the connection; the returned function restores it. */
  holdOpen(): () => void;
};

export type AnswerDeps = DispatchDeps & {
  modes: { session: ProtocolMode; stateless: ProtocolMode };
  sessions: Sessions;
  inFlight: InFlight;
  refusals: RefusalLog;
  timers: Timers;
  cancelElsewhere: CancelElsewhere;
  clientRequests: ClientRequests;
};

/** The protocol mode and session of a message. Clients without a session, such as scripts, have null. */
type MessageMode = { mode: ProtocolMode; session: EnteredSession | null; fault: HubError | null };

/** Answers a message received by POST. */
export function answerPost(deps: AnswerDeps, post: HttpPost): Response | Promise<Response> {
  const frame = post.body === null ? notUtf8 : readFrame(post.body);
  if (post.body === null || post.body.length <= largeBytes) return answerFrame(deps, post, frame);
  return yieldToEventLoop().then(() => answerFrame(deps, post, frame));
}

function answerFrame(deps: AnswerDeps, post: HttpPost, frame: Frame): Response | Promise<Response> {
  switch (frame.kind) {
    case "refused":
      deps.refusals.record(frame.error.code);
      return toJsonResponse({ text: toErrorFrame(frame.id, frame.error), httpStatus: 400 });
    case "response":
      return answerResponse(deps, post, frame);
    case "notification":
      return answerNotification(deps, post, frame, findMode(deps, post, frame));
    case "request":
      return answerRequest(deps, post, frame, findMode(deps, post, frame));
  }
}

function findMode(
  { modes, sessions }: AnswerDeps,
  { headers, caller }: HttpPost,
  frame: RequestFrame | NotificationFrame,
): MessageMode {
  if (isStateless(frame, headers)) return { mode: modes.stateless, session: null, fault: null };
  const id = frame.method === "initialize" ? null : headers.get(sessionHeader);
  if (id === null) return { mode: modes.session, session: null, fault: null };
  const session = sessions.enter(caller.userId, id);
  return { mode: modes.session, session, fault: session === null ? refuseSession() : null };
}

/** Takes the answer to a request of the hub. Any other is ignored, as it always was. */
function answerResponse(
  { sessions, clientRequests }: AnswerDeps,
  { caller, headers }: HttpPost,
  frame: ResponseFrame,
): Response {
  const id = headers.get(sessionHeader);
  const session = id === null ? null : sessions.enter(caller.userId, id);
  if (session !== null) {
    clientRequests.complete({ owner: caller.userId, session: session.key }, frame);
  }
  return new Response(null, { status: 202 });
}

function answerNotification(
  { inFlight, cancelElsewhere }: AnswerDeps,
  { caller }: HttpPost,
  { method, params }: NotificationFrame,
  { session, fault }: MessageMode,
): Response {
  if (fault !== null) return new Response(null, { status: errorTable[fault.code].httpStatus });
  const requestId = toIdText(params?.requestId);
  if (method === "notifications/cancelled" && requestId !== null) {
    const name = { owner: caller.userId, session: session?.key ?? "", id: requestId };
    // Only a session shows that a request on another server is of the same client.
    if (!inFlight.cancel(name) && session !== null) cancelElsewhere(name);
  }
  return new Response(null, { status: 202, headers: toNewIdHeaders(session) });
}

function answerRequest(
  deps: AnswerDeps,
  post: HttpPost,
  request: RequestFrame,
  { mode, session, fault }: MessageMode,
): Promise<Response> {
  const { ip, userAgent } = post.origin;
  const ctx: Omit<CallContext, "signal"> = {
    caller: post.caller,
    findCaller: post.findCaller,
    origin: { source: "mcp", ip, userAgent },
    contentKinds: toContentKinds(post.headers.get(protocolVersionHeader)),
    largeChars: request.chars > largeBytes ? request.chars : 0,
  };
  if (post.waitForTurn !== undefined) ctx.waitForTurn = post.waitForTurn;
  const client = findClient(mode, request, session);
  if (client !== null) ctx.client = client;
  const accepted = fault ?? acceptRequest(mode, request, post.headers);
  const form = readReplyForm(post.headers.get("accept"));
  if (accepted instanceof HubError) {
    const signal = post.disconnectSignal();
    return refuseRequest(mode, request, { ...ctx, signal }, accepted).then((reply) =>
      toResponse(reply, form, toNewIdHeaders(session)),
    );
  }
  const call = startCall(deps, post, accepted, session);
  const isStart = request.method === "initialize";
  const asks = client !== null && (client.elicitation.form || client.elicitation.url);
  const askedSession = asks && form !== "json" ? session : null;
  return openReply(deps, {
    form,
    headers: isStart ? startSession(deps, post, accepted) : toNewIdHeaders(session),
    writeProgress: createProgressWriter(accepted.params),
    run(onProgress, writer) {
      const hasToken = hasProgressToken(accepted.params);
      const running = { ...ctx, signal: call.signal, onProgress, hasProgressToken: hasToken };
      if (askedSession !== null) {
        const name = { owner: post.caller.userId, session: askedSession.key };
        running.askClient = deps.clientRequests.open(name, writer.send, call.signal);
      }
      const stream = form === "json" ? null : writer;
      return runRequest(deps, accepted, running, stream).finally(call.end);
    },
    onDisconnect: mode.disconnectCancels ? call.cancel : () => {},
    holdOpen: post.holdOpen,
  });
}

/** What the client of a request declared: with the request itself, or when its session began. */
function findClient(
  mode: ProtocolMode,
  { params }: RequestFrame,
  session: EnteredSession | null,
): ClientTold | null {
  if (mode.name === "stateless") return readStatelessClient(readMeta(params));
  return session?.client ?? null;
}

function startSession(
  { sessions }: AnswerDeps,
  { caller }: HttpPost,
  { params }: Accepted,
): Record<string, string> {
  return toHeaders(sessions.mint(caller.userId, readSessionClient(params)));
}

function startCall(
  { inFlight }: AnswerDeps,
  post: HttpPost,
  { mode, request }: Accepted,
  session: EnteredSession | null,
): CallInFlight {
  const { userId } = post.caller;
  const name = { owner: userId, session: session?.key ?? "", id: request.id };
  const call = inFlight.start(name, request.chars);
  if (mode.disconnectCancels) {
    const disconnected = post.disconnectSignal();
    disconnected.addEventListener("abort", call.cancel, { once: true });
    if (disconnected.aborted) call.cancel();
  }
  return call;
}

/** Gives a new session id to a client that sent another process's id. */
function toNewIdHeaders(session: EnteredSession | null): Record<string, string> {
  const newId = session?.newId ?? null;
  return newId === null ? {} : toHeaders(newId);
}

function toHeaders(sessionId: string): Record<string, string> {
  return { "Mcp-Session-Id": sessionId };
}

function refuseSession(): HubError {
  return new HubError(
    "session_unknown",
    "This session has ended. Start a new one with initialize.",
  );
}
