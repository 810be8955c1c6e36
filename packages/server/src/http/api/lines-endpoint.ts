import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import {
  type ApiCall,
  checkAnswer,
  type Described,
  describe,
  type Endpoint,
  type nothingSchema,
  readCall,
} from "./endpoint.ts";

type LinesSpec<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Line extends z.ZodType,
> = Described<Params, Query, z.ZodUndefined, Line> & {
  handle(
    call: ApiCall<z.output<Params>, z.output<Query>, undefined>,
  ): AsyncGenerator<z.input<Line>[]>;
};

const encoder = new TextEncoder();

/**
 * Defines an endpoint that answers one JSON value per line (NDJSON). `handle` yields them page by page
 * and is asked for the next page when the client has read the previous one.
 */
export function defineLinesEndpoint<
  Line extends z.ZodType,
  Params extends z.ZodObject = typeof nothingSchema,
  Query extends z.ZodObject = typeof nothingSchema,
>(spec: LinesSpec<Params, Query, Line>): Endpoint {
  return {
    ...describe(spec, 200, ["application/x-ndjson"]),
    async respond(req) {
      const pages = spec.handle(readCall(spec, req));
      // Before the headers are sent, so that an early failure is answered like any other.
      let next = await pages.next();
      const release = req.holdOpen();
      const body = new ReadableStream({
        async pull(controller) {
          if (next.done) {
            release();
            controller.close();
            return;
          }
          const lines = next.value.map((line) => `${toJsonText(checkAnswer(spec.answer, line))}\n`);
          controller.enqueue(encoder.encode(lines.join("")));
          try {
            next = await pages.next();
          } catch (thrown) {
            // The connection is broken on purpose, so that the reader does not mistake this for the
            // end.
            release();
            req.noteFault(thrown);
            throw thrown;
          }
        },
        async cancel() {
          release();
          await pages.return(undefined);
        },
      });
      return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } });
    },
  };
}
