import { callableOperationSchema, modelAnswerSchema } from "@hub/contract/callable-operation.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { toContentKinds } from "../../../mcp/frames/content-kinds.ts";
import { fieldsArgument } from "../../../mcp/tools/call-arguments.ts";
import { queryCharsMax } from "../../../mcp/tools/hub-search.ts";
import { type LookupCall, showAnswer } from "../../../mcp/tools/show-answer.ts";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import type { ProgressReport } from "../../../operations/operations.ts";
import { listCallable } from "../../../services/callable/list-callable.ts";
import { tryOutOperation } from "../../../services/callable/try-out.ts";
import { toCallContext } from "../../../services/rows/test-row.ts";
import { defineEndpoint } from "../endpoint.ts";
import { defineProgressEndpoint } from "../progress-endpoint.ts";
import {
  callFailures,
  testedSchema,
  testParamsSchema,
  toolIdCharsMax,
  toTestContext,
  toTryContext,
} from "./check-tested.ts";
import { nextSchema } from "./page-query.ts";
import { byRowAndOperation } from "./path-params.ts";

const words = z.string().max(queryCharsMax);

export const listCallableOperations = defineEndpoint({
  name: "listCallableOperations",
  summary: "List or search the operations that you can call",
  description:
    "Those that a client of yours can call now, in pages. With `q` they are found and ranked as by `hub_search`, the 1,000 best ones at most; otherwise they come by rows. A search counts as a call for the limit of calls per minute.",
  query: z.strictObject({
    q: words.default("").meta({ description: "Words, as for `hub_search`." }),
    row: z.uuid().optional().meta({ description: "Only operations of this row." }),
    connector: z.string().max(64).optional().meta({
      description: "Only operations of rows of the connector with this key.",
    }),
    limit: z.coerce.number().int().min(1).max(100).default(50),
    after: z.coerce.number().int().min(0).max(1_000_000).default(0).meta({
      description: "The `next` of the previous page.",
    }),
  }),
  answer: z.object({
    operations: z.array(callableOperationSchema),
    total: z.int().meta({ description: "The operations that match, on all pages." }),
    next: nextSchema,
    related: z.array(z.string()).meta({
      description: "Words and labels to search for instead, if even the best match is weak.",
    }),
  }),
  failures: ["rate_limited"],
  handle: (call) => listCallable(call.services, toCallContext(toTestContext(call)), call.query),
});

export const answerAsClient = defineEndpoint({
  name: "answerAsClient",
  summary: "Show what a model is answered",
  description:
    "The answer to a client of yours, also when it refuses: of `hub_search` with `q`, of `hub_get` with `tool_id`. Give one of them. Nothing is recorded; the answer counts as a call for the limit of calls per minute.",
  query: z.strictObject({
    q: words.optional().meta({ description: "Words, as for `hub_search`." }),
    tool_id: z.string().max(toolIdCharsMax).optional().meta({ description: "As for `hub_get`." }),
  }),
  answer: modelAnswerSchema,
  async handle(call) {
    const { services, query, recordFault } = call;
    const lookup = toLookup(query);
    const log = { error: ({ err }: { err?: unknown }) => recordFault(err) };
    const ctx = toCallContext(toTestContext(call));
    const answer = await showAnswer({ operations: services.operations, log }, ctx, lookup);
    // The endpoint checks the answer by its schema.
    const shown = answer as z.input<typeof modelAnswerSchema>["answer"];
    return { tool: lookup.name, arguments: lookup.arguments, answer: shown };
  },
});

function toLookup({
  q,
  tool_id: toolId,
}: {
  q?: string | undefined;
  tool_id?: string | undefined;
}): LookupCall {
  if (q !== undefined && toolId === undefined) {
    return { name: "hub_search", arguments: { query: q } };
  }
  if (toolId !== undefined && q === undefined) {
    return { name: "hub_get", arguments: { tool_id: toolId } };
  }
  throw new HubError("bad_request", "Give q, the words of a search, or tool_id, not both.");
}

const triedSchema = testedSchema
  .extend({
    blocks: z.array(z.record(z.string(), z.unknown())).optional().meta({
      description: "Content blocks beside the result, such as images.",
    }),
  })
  .meta({ id: "TriedCall" });

export const tryOperation = defineProgressEndpoint({
  name: "tryOperation",
  cancels: true,
  summary: "Call an operation as a client does",
  description:
    "Takes the way of `hub_execute`: the same checks, limits, masks and answer, also for admins. The call is recorded with the source `test`. The row must let you test it. A failure names its record as `run_id`. The call ends if you disconnect. A client that accepts `text/event-stream` gets its progress.",
  params: byRowAndOperation,
  body: z.strictObject({ params: testParamsSchema, fields: fieldsArgument.optional() }),
  answer: triedSchema,
  failures: callFailures,
  async handle(call, onProgress: (progress: ProgressReport) => void) {
    const { services, params, body } = call;
    const toolId = toToolId(params.row.toLowerCase(), params.operation);
    const ctx = { ...toTryContext(call, onProgress), contentKinds: toContentKinds("newest") };
    const { value, blocks, runId } = await tryOutOperation(services, ctx, {
      toolId,
      params: body.params,
      fields: body.fields,
    });
    return {
      result: value,
      run_id: runId,
      ...(blocks && { blocks: blocks.map((block) => Object(JSON.parse(block))) }),
    };
  },
});
