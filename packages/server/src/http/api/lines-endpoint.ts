import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import type { ApiCall } from "./api-request.ts";
import { checkAnswer, type Described, describe, type Endpoint } from "./endpoint.ts";
import { type nothingSchema, readCall } from "./read-call.ts";
import { sendPages } from "./send-pages.ts";

type LinesSpec<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Line extends z.ZodType,
> = Described<Params, Query, z.ZodUndefined, Line> & {
  handle(
    call: ApiCall<z.output<Params>, z.output<Query>, undefined>,
  ): AsyncGenerator<z.input<Line>[]>;
};

const contentType = "application/x-ndjson";

/**
 * Defines an endpoint that answers one JSON value per line (NDJSON). `handle` yields them page by page
 * and is asked for the next page when the client has read the previous one. Before each page, the request
 * waits in its lane and is checked again, so that the answer ends with the caller's right.
 */
export function defineLinesEndpoint<
  Line extends z.ZodType,
  Params extends z.ZodObject = typeof nothingSchema,
  Query extends z.ZodObject = typeof nothingSchema,
>(spec: LinesSpec<Params, Query, Line>): Endpoint {
  return {
    ...describe(spec, 200, [contentType]),
    async respond(req) {
      const pages = spec.handle(await readCall(spec, req));
      return await sendPages(req, contentType, toTexts(spec.answer, pages));
    },
  };
}

async function* toTexts<Line extends z.ZodType>(
  schema: Line,
  pages: AsyncIterable<z.input<Line>[]>,
): AsyncGenerator<string> {
  for await (const lines of pages) {
    yield lines.map((line) => `${toJsonText(checkAnswer(schema, line))}\n`).join("");
  }
}
