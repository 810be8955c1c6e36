import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import { type ErrorCode, HubError } from "../../errors.ts";
import type { ApiCall, ApiRequest } from "./api-request.ts";
import { type nothingSchema, readCall } from "./read-call.ts";

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
