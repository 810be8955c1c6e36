import { parseJson, toJsonText } from "@hub/connector";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { type ErrorCode, HubError } from "../../errors.ts";
import { findMessageExcess, nestingMax, valuesMax } from "../../lib/check-nesting.ts";
import type { EventStream } from "../../lib/event-stream.ts";
import { checkInput } from "../../services/check-input.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";

/** What a call of the API comes with, before its endpoint has parsed it. */
export type ApiRequest = {
  /** Who asks: an active user, by session or by personal access token. */
  caller: Caller;
  /** The caller as the author of changes. */
  actor: Actor;
  services: ServiceDeps;
  /** Segments of the path by name, unescaped. */
  params: Record<string, string>;
  query: Record<string, string>;
  /** The body's text; empty where there is none. */
  body: string;
  /** Aborts when the client leaves. */
  signal: AbortSignal;
  ip: string | null;
  userAgent: string | null;
  /** The client would rather see progress than wait: it accepts event streams. */
  wantsEvents: boolean;
  /** Lets the connection be silent for long; what it returns ends that. */
  holdOpen(): () => void;
  /** A stream of events for this answer; `onDisconnect` runs if the client goes before its end. */
  openEvents(onDisconnect: () => void): EventStream;
  /** Logs what went wrong inside, for an answer that has begun. */
  noteFault(fault: unknown): void;
  /** The session that asks; null for a token. */
  sessionId: string | null;
  /** What pages send back with each change, where a session asks; null for a token. */
  csrfToken: string | null;
};

/** One call of the API as its handler sees it: all that came was checked. */
export type ApiCall<Params, Query, Body> = Omit<ApiRequest, "params" | "query" | "body"> & {
  params: Params;
  query: Query;
  body: Body;
};

export type Endpoint = {
  /** In camel case, unique: what generated clients call it. */
  name: string;
  summary: string;
  description: string | null;
  /** Schemas as the document shows them. */
  params: z.ZodObject | null;
  query: z.ZodObject | null;
  body: z.ZodType | null;
  answer: AnswerSpec;
  /** Codes of failures beyond those of every endpoint. */
  failures: readonly ErrorCode[];
  respond(req: ApiRequest): Promise<Response>;
};

type AnswerSpec = {
  status: 200 | 201;
  schema: z.ZodType;
  description: string;
  /** As which content types it comes; JSON first where it is one of them. */
  contentTypes: readonly string[];
};

/** Digits that a JavaScript number would lose are written as they came. */
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
  handle(
    call: ApiCall<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer>> | z.input<Answer>;
};

/** What every kind of endpoint says of itself. */
export type Described<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
  Answer extends z.ZodType,
> = {
  name: string;
  /** One line, in the imperative: "Switch a row off". */
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  answer: Answer;
  answerDescription?: string;
  failures?: readonly ErrorCode[];
};

export const nothingSchema = z.strictObject({});

/**
 * One endpoint of the API: what it takes, what it answers, and how. Both ways are held to the
 * schemas: a member that the answer's schema does not name never leaves.
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
      return answerJson(checkAnswer(spec.answer, await spec.handle(readCall(spec, req))), status);
    },
  };
}

/** The endpoint without how it answers. */
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
      description: spec.answerDescription ?? "What was asked for.",
      contentTypes,
    },
    failures: spec.failures ?? [],
  };
}

/** What came, held to the endpoint's schemas. */
export function readCall<
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends z.ZodType,
>(
  spec: Pick<Described<Params, Query, Body, z.ZodType>, "params" | "query" | "body">,
  req: ApiRequest,
): ApiCall<z.output<Params>, z.output<Query>, z.output<Body>> {
  return {
    ...req,
    // Each schema is absent only where its type parameter is the one of "nothing".
    params: checkPath(spec.params ?? nothingSchema, req.params) as z.output<Params>,
    query: checkInput(spec.query ?? nothingSchema, req.query) as z.output<Query>,
    body: readJsonBody(spec.body, req.body) as z.output<Body>,
  };
}

/** What leaves, without any member that the schema does not name. */
export function checkAnswer<Answer extends z.ZodType>(
  schema: Answer,
  value: unknown,
): z.output<Answer> {
  const checked = schema.safeParse(value);
  if (checked.success) return checked.data;
  throw new HubError("internal", "The hub's answer broke its own description.", {
    cause: checked.error,
  });
}

/** A path that names nothing of the form asked for names nothing at all. */
function checkPath<Schema extends z.ZodType>(schema: Schema, params: unknown): z.output<Schema> {
  const parsed = schema.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new HubError(
    "not_found",
    `There is nothing at this address: ${issue?.path.join(".") ?? "a part of it"} is not of the right form.`,
  );
}

function readJsonBody(schema: z.ZodType | undefined, text: string): unknown {
  if (schema === undefined) {
    if (text.trim() === "" || text.trim() === "{}") return undefined;
    throw new HubError("bad_request", "This request takes no body.");
  }
  // Whoever leaves everything out need not send braces to say so.
  return checkInput(schema, text.trim() === "" ? {} : parseBody(text));
}

function parseBody(text: string): unknown {
  if (findMessageExcess(text) !== null) {
    throw new HubError(
      "bad_request",
      `The body nests deeper than ${nestingMax} levels or holds more than ${valuesMax} values. Send less at a time.`,
    );
  }
  try {
    return parseJson(text);
  } catch {
    throw new HubError("bad_request", "The body is not JSON. Send one JSON value.");
  }
}
