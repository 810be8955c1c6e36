import { parseJson } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { findMessageExcess, nestingMax, valuesMax } from "../../lib/json/check-nesting.ts";
import { largeBytes, yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { ApiCall, ApiRequest } from "./api-request.ts";

/** Of a request without path parameters or without a query. */
export const nothingSchema = z.strictObject({});

/** Validates a request by the endpoint's schemas. Reading a large body and checking it are two turns of the event loop. */
export async function readCall<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  spec: { params?: Params; query?: Query; body?: Body },
  req: ApiRequest,
): Promise<ApiCall<z.output<Params>, z.output<Query>, z.output<Body>>> {
  return {
    ...req,
    // A schema is absent only if its type parameter is that of `nothingSchema`.
    params: checkPath(spec.params ?? nothingSchema, req.params) as z.output<Params>,
    query: checkInput(spec.query ?? nothingSchema, req.query) as z.output<Query>,
    body: (await readJsonBody(spec.body, req.body)) as z.output<Body>,
  };
}

/** Path parameters of the wrong form give `not_found`. */
function checkPath<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HubError(
    "not_found",
    `There is no endpoint at this address: ${issue?.path.join(".") ?? "a part of it"} does not have the right form.`,
  );
}

async function readJsonBody(schema: z.ZodType | undefined, text: string): Promise<unknown> {
  if (schema === undefined) {
    if (text.trim() === "" || text.trim() === "{}") return undefined;
    throw new HubError("bad_request", "This request takes no body. Leave it out.");
  }
  // An empty body counts as an empty object.
  const value = text.trim() === "" ? {} : parseBody(text);
  if (text.length > largeBytes) await yieldToEventLoop();
  return checkInput(schema, value);
}

function parseBody(text: string): unknown {
  if (findMessageExcess(text) !== null) {
    throw new HubError(
      "bad_request",
      `The body is nested more than ${nestingMax} levels deep or has more than ${valuesMax} values. Send less data at a time.`,
    );
  }
  try {
    return parseJson(text);
  } catch {
    throw new HubError("bad_request", "The body is not valid JSON. Send one JSON value.");
  }
}
