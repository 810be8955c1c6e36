import {
  type EventStream,
  eventStreamHeaders,
  openEventStream,
  toEvent,
} from "../lib/event-stream.ts";
import type { Timers } from "../lib/timers.ts";
import type { ProgressReport } from "../operations/operations.ts";
import type { ReplyForm } from "./accept.ts";
import type { Reply } from "./dispatch.ts";
import type { WriteProgress } from "./progress.ts";

/** After this long, a client that can read an event stream gets one, so that no proxy hangs up. */
const upgradeAfterMs = 10_000;

type ReplyPlan = {
  form: ReplyForm;
  headers: Record<string, string>;
  writeProgress: WriteProgress;
  run(onProgress: (report: ProgressReport) => void): Promise<Reply>;
  /** The client left before it had its reply. */
  onLeave(): void;
  /** Keeps a silent connection open; the returned function lets it end again. */
  holdOpen(): () => void;
};

/**
 * Runs a request and answers it as JSON, or as an event stream: at once where the client reads
 * nothing else, from the first progress report on, or when it takes long.
 */
export function openReply({ timers }: { timers: Timers }, plan: ReplyPlan): Promise<Response> {
  const { promise, resolve } = Promise.withResolvers<Response>();
  let stream: EventStream | null = null;
  let release = () => {};

  function openStream(): EventStream {
    if (stream !== null) return stream;
    stream = openEventStream({ timers }, plan.onLeave);
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
  plan.run(reported).then((reply) => {
    isDone = true;
    cancelUpgrade();
    release();
    if (stream === null) resolve(toJsonResponse(reply, plan.headers));
    else stream.end(reply.text);
  });
  return promise;
}

/** A reply that is there already. A status other than 200 goes with JSON, whatever was asked for. */
export function toResponse(
  reply: Reply,
  form: ReplyForm,
  headers: Record<string, string> = {},
): Response {
  if (form !== "events" || reply.httpStatus !== 200) return toJsonResponse(reply, headers);
  return new Response(toEvent(reply.text), { headers: { ...eventStreamHeaders, ...headers } });
}

/** A reply that is one JSON document. */
export function toJsonResponse(
  { text, httpStatus }: Reply,
  headers: Record<string, string> = {},
): Response {
  return new Response(text, {
    status: httpStatus,
    headers: { "Content-Type": "application/json", ...headers },
  });
}
