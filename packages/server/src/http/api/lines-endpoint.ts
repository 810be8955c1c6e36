import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import {
  type ApiCall,
  type ApiRequest,
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

/** An answer that is not read for this long is broken off: it keeps a connection and a page. */
const unreadMsMax = 60_000;

/**
 * Defines an endpoint that answers one JSON value per line (NDJSON). `handle` yields them page by page
 * and is asked for the next page when the client has read the previous one. Before each page, the request
 * waits for its turn and is checked again, so that the answer ends with the caller's right.
 */
export function defineLinesEndpoint<
  Line extends z.ZodType,
  Params extends z.ZodObject = typeof nothingSchema,
  Query extends z.ZodObject = typeof nothingSchema,
>(spec: LinesSpec<Params, Query, Line>): Endpoint {
  return {
    ...describe(spec, 200, ["application/x-ndjson"]),
    async respond(req) {
      const endCount = req.countStream();
      try {
        const pages = spec.handle(await readCall(spec, req));
        // Before the headers are sent, so that an early failure is answered like any other.
        const first = await pages.next();
        return toLines(spec.answer, req, { pages, first, endCount });
      } catch (thrown) {
        endCount();
        throw thrown;
      }
    },
  };
}

type Opened<Line> = {
  pages: AsyncGenerator<Line[]>;
  first: IteratorResult<Line[]>;
  endCount(): void;
};

function toLines<Line extends z.ZodType>(
  schema: Line,
  req: ApiRequest,
  { pages, first, endCount }: Opened<z.input<Line>>,
): Response {
  let next = first;
  const releaseConnection = req.holdOpen();
  let cancelTimer = () => {};
  let isStarted = false;
  function release(): void {
    cancelTimer();
    releaseConnection();
    endCount();
  }
  const body = new ReadableStream({
    async pull(controller) {
      cancelTimer();
      if (next.done) {
        release();
        controller.close();
        return;
      }
      try {
        if (isStarted) await req.checkAgain();
        isStarted = true;
        const lines = next.value.map((line) => `${toJsonText(checkAnswer(schema, line))}\n`);
        controller.enqueue(encoder.encode(lines.join("")));
        next = await pages.next();
      } catch (thrown) {
        // The connection is broken on purpose, so that the reader does not mistake this for the
        // end.
        release();
        req.noteFault(thrown);
        await pages.return(undefined);
        throw thrown;
      }
      cancelTimer = req.after(unreadMsMax, () => {
        release();
        const unread = new Error("The client did not read its answer");
        controller.error(unread);
        req.noteFault(unread);
        void pages.return(undefined);
      });
    },
    async cancel() {
      release();
      await pages.return(undefined);
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/x-ndjson" } });
}
