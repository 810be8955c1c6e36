import { parseJson, toJsonText } from "@hub/connector";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { type ErrorCode, HubError } from "../../errors.ts";
import { checkInput } from "../../manager/check-input.ts";
import type { Manager } from "../../manager/create-manager.ts";

/** What a call of the API comes with, before its endpoint has parsed it. */
export type ApiRequest = {
  /** Who asks: an active user, by session or by personal access token. */
  caller: Caller;
  /** The verbs, which note this caller as the one who changes things. */
  manager: Manager;
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
  /** Keeps the connection open while nothing is sent; the answer calls what it returns at its end. */
  holdOpen(): () => void;
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

type AnswerSpec = { status: 200 | 201; schema: z.ZodType; description: string };

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
> = {
  name: string;
  /** One line, in the imperative: "Switch a row off". */
  summary: string;
  description?: string;
  params?: Params;
  query?: Query;
  body?: Body;
  status?: 200 | 201;
  answer: Answer;
  answerDescription?: string;
  failures?: readonly ErrorCode[];
  handle(
    call: ApiCall<z.output<Params>, z.output<Query>, z.output<Body>>,
  ): Promise<z.input<Answer>> | z.input<Answer>;
};

const nothingSchema = z.strictObject({});

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
  const { name, summary, params, query, body, answer, handle } = spec;
  const status = spec.status ?? 200;
  return {
    name,
    summary,
    description: spec.description ?? null,
    params: params ?? null,
    query: query ?? null,
    body: body ?? null,
    answer: {
      status,
      schema: answer,
      description: spec.answerDescription ?? "What was asked for.",
    },
    failures: spec.failures ?? [],
    async respond(req) {
      const call = {
        ...req,
        // Each schema is absent only where its type parameter is the one of "nothing".
        params: checkPath(params ?? nothingSchema, req.params) as z.output<Params>,
        query: checkInput(query ?? nothingSchema, req.query) as z.output<Query>,
        body: readJsonBody(body, req.body) as z.output<Body>,
      };
      const value = answer.safeParse(await handle(call));
      if (value.success) return answerJson(value.data, status);
      throw new HubError("internal", "The hub's answer broke its own description.", {
        cause: value.error,
      });
    },
  };
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
  return checkInput(schema, text.trim() === "" ? undefined : parseBody(text));
}

function parseBody(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new HubError("bad_request", "The body is not JSON. Send one JSON value.");
  }
}
