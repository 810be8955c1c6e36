import {
  type EventStream,
  eventStreamHeaders,
  openEventStream,
  toEvent,
} from "../../lib/streams/event-stream.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { ProgressReport } from "../../operations/operations.ts";
import type { WriteProgress } from "../frames/progress.ts";
import type { ReplyForm } from "../frames/reply-form.ts";
import type { Reply } from "./dispatch.ts";

/** After this time a reply becomes an event stream, so that no proxy closes an idle connection. */
const upgradeAfterMs = 10_000;

type ReplyWriter = Pick<EventStream, "send" | "waitForReader">;

type ReplyPlan = {
  form: ReplyForm;
  headers: Record<string, string>;
  writeProgress: WriteProgress;
  /** `writer` writes requests and notifications of the hub to the client. */
  run(onProgress: (report: ProgressReport) => void, writer: ReplyWriter): Promise<Reply>;
  /** Runs when the client disconnects before it has its reply. */
  onDisconnect(): void;
  /** Suspends the idle timeout of the connection; the returned function restores it. */
  holdOpen(): () => void;
};

/**
 * Runs a request and answers with JSON or an event stream. The stream opens at once if the client
 * accepts nothing else, otherwise with the first progress report or when the call takes long.
 */
export function openReply({ timers }: { timers: Timers }, plan: ReplyPlan): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  let stream: EventStream | null = null;
  let release = () => {};

  function openStream(): EventStream {
    if (stream !== null) return stream;
    stream = openEventStream({ timers }, plan.onDisconnect);
    resolve(new Response(stream.body, { headers: { ...eventStreamHeaders, ...plan.headers } }));
    return stream;
  }

  const cancelUpgrade = timers.after(upgradeAfterMs, () => {
    if (plan.form === "json") release = plan.holdOpen();
    else openStream();
  });
  if (plan.form === "events") openStream();

  let isDone = false;
  const reported = (report: ProgressReport) => {
    if (isDone) return;
    const frame = plan.writeProgress(report);
    const opened = openStream();
    if (frame !== null) opened.sendProgress(frame);
  };
  const writer: ReplyWriter = {
    send(frame) {
      if (!isDone) openStream().send(frame);
    },
    waitForReader: async () => await stream?.waitForReader(),
  };
  plan.run(reported, writer).then((reply) => {
    isDone = true;
    cancelUpgrade();
    release();
    if (stream === null) resolve(toJsonResponse(reply, plan.headers));
    else stream.end(reply.text);
  });
  return promise;
}

/** The response for a finished reply. A status other than 200 is always sent with JSON. */
export function toResponse(
  reply: Reply,
  form: ReplyForm,
  headers: Record<string, string> = {},
): Response {
  if (form !== "events" || reply.httpStatus !== 200) return toJsonResponse(reply, headers);
  return new Response(toEvent(reply.text), { headers: { ...eventStreamHeaders, ...headers } });
}

/** The response for a reply as one JSON document. */
export function toJsonResponse(
  { text, httpStatus }: Reply,
  headers: Record<string, string> = {},
): Response {
  return new Response(text, {
    status: httpStatus,
    headers: { "Content-Type": "application/json", ...headers },
  });
}
