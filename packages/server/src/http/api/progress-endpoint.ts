import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import { toHubError } from "../../errors.ts";
import { eventStreamHeaders } from "../../lib/event-stream.ts";
import {
  type ApiCall,
  type ApiRequest,
  answerJson,
  checkAnswer,
  type Described,
  describe,
  type Endpoint,
  type nothingSchema,
  readCall,
} from "./endpoint.ts";

type ProgressSpec<
  Params extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
  Progress,
> = Described<Params, typeof nothingSchema, Body, Answer> & {
  handle(
    call: ApiCall<z.output<Params>, Record<string, never>, z.output<Body>>,
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
    ...describe(spec, 200, ["application/json", "text/event-stream"]),
    async respond(req) {
      // Parsed before the headers are sent, so that a bad request gets its own status.
      const call = (await readCall(spec, req)) as Parameters<typeof spec.handle>[0];
      const release = req.holdOpen();
      const answer = async (onProgress: (progress: Progress) => void) =>
        checkAnswer(spec.answer, await spec.handle(call, onProgress));
      if (req.wantsEvents) return streamAnswer(req, answer, release);
      try {
        return answerJson(await answer(() => {}), 200);
      } finally {
        release();
      }
    },
  };
}

/** Answers with the events of long work. `release` runs at its end, or when the client disconnects. */
export function streamAnswer<Progress>(
  req: ApiRequest,
  answer: (onProgress: (progress: Progress) => void) => Promise<unknown>,
  release: () => void,
): Response {
  // A disconnect does not stop the work: an install that has started is finished.
  const events = req.openEvents(release);
  answer((progress) => events.sendProgress(toJsonText({ progress })))
    .then(
      (result) => events.end(toJsonText({ result })),
      (thrown) => {
        const { message, code, detail, cause } = toHubError(thrown);
        if (code === "internal") req.noteFault(cause ?? thrown);
        events.end(toJsonText({ ...detail, error: message, code }));
      },
    )
    .finally(release);
  return new Response(events.body, {
    headers: { ...eventStreamHeaders, "Cache-Control": "no-store, no-transform" },
  });
}
