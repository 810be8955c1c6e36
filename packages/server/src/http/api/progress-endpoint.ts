import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import { toHubError } from "../../errors.ts";
import { createCheckedRelay } from "../../lib/streams/checked-relay.ts";
import { eventStreamHeaders } from "../../lib/streams/event-stream.ts";
import type { ApiCall, ApiRequest } from "./api-request.ts";
import { answerJson, checkAnswer, type Described, describe, type Endpoint } from "./endpoint.ts";
import { type nothingSchema, readCall } from "./read-call.ts";

/** The content types of the answer to long work: see `answerLong`. */
export const longAnswerTypes = ["application/json", "text/event-stream"];

type ProgressSpec<
  Params extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  Progress,
> = Described<Params, typeof nothingSchema, Body, Answer> & {
  /** The signal of the call aborts if the client disconnects. Otherwise work that has begun is finished. */
  cancels?: true;
  handle(
    call: ApiCall<z.output<Params>, Record<string, never>, z.output<Body>> & {
      /** The length of the body's text. */
      bodyChars: number;
    },
    onProgress: (progress: Progress) => void,
  ): Promise<z.input<Answer>>;
};

/**
 * Defines an endpoint for long work. A client that accepts `text/event-stream` gets each step as an
 * event `{"progress": …}` and the outcome as the last one, `{"result": …}` or `{"error", "code"}`;
 * other clients wait for the answer.
 */
export function defineProgressEndpoint<
  Answer extends z.ZodType,
  Progress,
  Params extends z.ZodObject = typeof nothingSchema,
  Body extends z.ZodType = z.ZodUndefined,
>(spec: ProgressSpec<Params, Body, Answer, Progress>): Endpoint {
  return {
    ...describe(spec, 200, longAnswerTypes),
    async respond(req) {
      // Parsed before the headers are sent, so that a bad request gets its own status.
      const left = new AbortController();
      const signal = spec.cancels ? AbortSignal.any([req.signal, left.signal]) : req.signal;
      const read = await readCall(spec, { ...req, signal });
      const call = { ...read, bodyChars: req.body.length } as Parameters<typeof spec.handle>[0];
      const release = holdLong(req);
      const answer = async (onProgress: (progress: Progress) => void) =>
        checkAnswer(spec.answer, await spec.handle(call, onProgress));
      return await answerLong(req, answer, release, () => left.abort());
    },
  };
}

/**
 * Keeps the connection open for long work, which counts as a stream of the caller: throws `rate_limited` if there are
 * too many. The returned function ends both.
 */
function holdLong(req: ApiRequest): () => void {
  const endCount = req.countStream();
  const releaseConnection = req.holdOpen();
  return () => {
    endCount();
    releaseConnection();
  };
}

/** Answers long work with its events to a client that accepts them, and to others when it is done. */
export async function answerLong<Progress>(
  req: ApiRequest,
  answer: (onProgress: (progress: Progress) => void) => Promise<unknown>,
  release: () => void,
  onDisconnect: () => void = () => {},
): Promise<Response> {
  if (req.wantsEvents) return streamAnswer(req, answer, release, onDisconnect);
  return await waitForAnswer(
    req,
    answer(() => {}),
    release,
  );
}

/** Answers when long work is done, if the caller may still use the endpoint. */
async function waitForAnswer(
  req: ApiRequest,
  answer: Promise<unknown>,
  release: () => void,
): Promise<Response> {
  try {
    return answerJson(await answer, 200);
  } finally {
    release();
    await req.checkRight();
  }
}

/**
 * Answers with the events of long work, which end with the caller's right to the endpoint. `releaseOnce` runs at its end, or
 * when the client disconnects.
 */
function streamAnswer<Progress>(
  req: ApiRequest,
  answer: (onProgress: (progress: Progress) => void) => Promise<unknown>,
  releaseOnce: () => void,
  onDisconnect: () => void,
): Response {
  let release = () => {
    release = () => {};
    releaseOnce();
  };
  // A disconnect alone does not stop the work: an install that has started is finished.
  const events = req.openEvents(() => {
    release();
    onDisconnect();
  });
  const fail = (thrown: unknown) => {
    const { message, code, detail, cause } = toHubError(thrown);
    if (code === "internal") req.recordFault(cause ?? thrown);
    events.end(toJsonText({ ...detail, error: message, code }));
  };
  const relay = createCheckedRelay<Progress>({
    after: req.after,
    check: req.checkRight,
    send: (progress) => events.sendProgress(toJsonText({ progress })),
    onLost(reason) {
      fail(reason);
      release();
    },
  });
  const report = async () => {
    try {
      const result = await answer(relay.put).finally(relay.end);
      events.end(toJsonText({ result }));
    } catch (thrown) {
      fail(thrown);
    } finally {
      release();
    }
  };
  void report();
  return new Response(events.body, {
    headers: { ...eventStreamHeaders, "Cache-Control": "no-store, no-transform" },
  });
}
