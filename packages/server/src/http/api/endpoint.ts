import { parseJson, toJsonText } from "@hub/connector";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { type ErrorCode, HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { findMessageExcess, nestingMax, valuesMax } from "../../lib/json/check-nesting.ts";
import type { EventStream } from "../../lib/streams/event-stream.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { largeBytes, yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";

/** A request to the API, before its endpoint has parsed it. */
export type ApiRequest = {
  /** An active user, by session or by personal access token. */
  caller: Caller;
  /** The caller as the author of changes. */
  actor: Actor;
  services: ServiceDeps;
  /** Segments of the path by name, unescaped. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The body's text; empty if there is none. */
  body: string;
  /** Content-Type of the body, in lower case and without parameters; empty if there is none. */
  bodyType: string;
  /** Reads the file in the body, for an endpoint that takes one; `body` is empty then. */
  readFile(bytesMax: number): AsyncIterable<Uint8Array>;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** The hub's address for clients. */
  baseUrl: string;
  /** The hub's address on its own machine. */
  localUrl: string;
  ip: string | null;
  userAgent: string | null;
  /** The client accepts event streams, so it gets progress. */
  wantsEvents: boolean;
  /**
   * For an answer that takes long: releases the permit of the request, and suspends the idle timeout of
   * the connection; the returned function restores it.
   */
  holdOpen(): () => void;
  /** Opens an event stream for this answer; `onDisconnect` runs if the client disconnects early. */
  openEvents(onDisconnect: () => void): EventStream;
  /**
   * Counts one more answer that stays open for the caller; the returned function ends it. Throws
   * `rate_limited` if the caller has too many.
   */
  countStream(): () => void;
  /**
   * For each portion of a long answer: waits in the lane of the request, and throws if the caller may no
   * longer use the endpoint.
   */
  checkAgain(): Promise<void>;
  /** The same without waiting: for what is sent long after the request was checked. */
  checkRight(): Promise<void>;
  /** Runs `action` once after `delayMs`; the returned function cancels it. */
  after: Timers["after"];
  /** Logs an internal failure after the answer has started. */
  recordFault(fault: unknown): void;
  /** The session of the caller; null for a token. */
  sessionId: string | null;
  /** The token that pages send with each change; null for a personal access token. */
  csrfToken: string | null;
};

/** One call of the API with validated inputs. */
export type ApiCall<Params, Query, Body> = Omit<ApiRequest, "params" | "query" | "body"> & {
  params: Params;
  query: Query;
  body: Body;
};

export type Endpoint = {
  /** The operationId: unique, in camel case. */
  name: string;
  summary: string;
  description: string | null;
  /** Schemas as the document shows them. */
  params: z.ZodObject | null;
  query: z.ZodObject | null;
  body: z.ZodType | null;
  /** Content types of the file that it takes in the place of a JSON body; absent if it takes none. */
  fileTypes?: readonly string[];
  answer: AnswerSpec;
  /** Codes of failures beyond those of every endpoint. */
  failures: readonly ErrorCode[];
  needsSpace: boolean;
  respond(req: ApiRequest): Promise<Response>;
};

/** Whether a request stores something, other than that something is gone. */
export function needsSpace({ method, endpoint }: { method: string; endpoint: Endpoint }): boolean {
  return !["GET", "DELETE"].includes(method) && endpoint.needsSpace;
}

type AnswerSpec = {
  status: 200 | 201;
  schema: z.ZodType;
  description: string;
  /** Content types of the answer; JSON first if it is one of them. */
  contentTypes: readonly string[];
};

/** A JSON response. Numbers keep digits that JavaScript would lose. */
export function answerJson(value: unknown, status: number): Response {
  return new Response(toJsonText(value), {
    status,
    headers: { "Content-Type": "application/json" },
  });
}

type EndpointSpec<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = Described<Params, Query, Body, Answer> & {
  status?: 200 | 201;
  /** An outside system is asked, so the caller is checked again before the answer or the failure is sent. */
  asksOutside?: true;
  handle(
    call: ApiCall<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer>> | z.input<Answer>;
};

/** The description of every kind of endpoint. */
export type Described<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = {
  name: string;
  /** One line, in the imperative: "Disable a row". */
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  answer: Answer;
  answerDescription?: string;
  failures?: readonly ErrorCode[];
  /**
   * False for a change that goes on while the disk is almost full, because it takes something away or decides what
   * waits. Of no effect with GET and DELETE.
   */
  needsSpace?: false;
};

export const nothingSchema = z.strictObject({});

/**
 * Defines one endpoint of the API. Schemas validate requests and answers: a member that the answer's
 * schema does not name is never sent.
 */
export function defineEndpoint<
  Answer extends z.ZodType,
  Params extends z.ZodObject = typeof nothingSchema,
  Query extends z.ZodObject = typeof nothingSchema,
  Body extends z.ZodType = z.ZodUndefined,
>(spec: EndpointSpec<Params, Query, Body, Answer>): Endpoint {
  const status = spec.status ?? 200;
  return {
    ...describe(spec, status, ["application/json"]),
    async respond(req) {
      const call = await readCall(spec, req);
      try {
        return answerJson(checkAnswer(spec.answer, await spec.handle(call)), status);
      } finally {
        if (spec.asksOutside) await req.checkRight();
      }
    },
  };
}

/** The description of an endpoint, without its handler. */
export function describe<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
>(
  spec: Described<Params, Query, Body, Answer>,
  status: 200 | 201,
  contentTypes: readonly string[],
): Omit<Endpoint, "respond"> {
  return {
    name: spec.name,
    summary: spec.summary,
    description: spec.description ?? null,
    params: spec.params ?? null,
    query: spec.query ?? null,
    body: spec.body ?? null,
    answer: {
      status,
      schema: spec.answer,
      description: spec.answerDescription ?? "The result.",
      contentTypes,
    },
    failures: spec.failures ?? [],
    needsSpace: spec.needsSpace ?? true,
  };
}

/** Validates a request by the endpoint's schemas. Reading a large body and checking it are two turns of the event loop. */
export async function readCall<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  spec: Pick<Described<Params, Query, Body, z.ZodType>, "params" | "query" | "body">,
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

/** Validates an answer and removes members that the schema does not name. */
export function checkAnswer<Answer extends z.ZodType>(
  schema: Answer,
  value: unknown,
): z.output<Answer> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new HubError("internal", "The hub's answer did not match its schema.", {
    cause: checked.error,
  });
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
