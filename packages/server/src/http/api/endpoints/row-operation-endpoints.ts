import { listedOperationSchema, operationStateSchema } from "@hub/contract/row.ts";
import { operationFormSchema } from "@hub/contract/row-settings.ts";
import { z } from "zod";
import { listOperations } from "../../../services/rows/operations/list-operations.ts";
import * as operations from "../../../services/rows/operations/manage-operations.ts";
import * as tests from "../../../services/rows/test-row.ts";
import { defineEndpoint } from "../endpoint.ts";
import { callFailures, testedSchema, testParamsSchema, toTestContext } from "./check-tested.ts";
import { nextSchema } from "./page-query.ts";
import { byRow, byRowAndOperation } from "./path-params.ts";

const searchCharsMax = 100;

export const listRowOperations = defineEndpoint({
  name: "listRowOperations",
  summary: "List operations of a row in pages",
  description:
    "In the order of the outside system. Only admins see widget and maintenance operations, and those that wait for a review.",
  params: byRow,
  query: z.strictObject({
    q: z.string().max(searchCharsMax).optional().meta({
      description:
        "Words in the key, the name or the description, ignoring case. Those with them in key or name come first.",
    }),
    key: z.string().optional().meta({ description: "Only the operation with this key." }),
    callable: z.stringbool().default(false).meta({
      description: "Only those that clients can call.",
    }),
    limit: z.coerce.number().int().min(1).max(100).default(100),
    after: z.coerce.number().int().min(0).default(0).meta({
      description: "The `next` of the previous page.",
    }),
  }),
  answer: z.object({
    operations: z.array(listedOperationSchema),
    total: z.int().meta({ description: "The operations that match, on all pages." }),
    next: nextSchema,
    stamp: z.string().nullable().meta({
      description:
        "Changes with the operations that the row's outside system offers, their approvals and marks. Null for a row whose connector has its own.",
    }),
  }),
  failures: ["not_found"],
  handle: ({ services, caller, params, query }) =>
    listOperations(services, caller, params.row, query),
});

export const showOperation = defineEndpoint({
  name: "showOperation",
  summary: "Show the inputs of an operation as a form",
  description: "Only admins see widget and maintenance operations.",
  params: byRowAndOperation,
  answer: operationFormSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) =>
    operations.showOperation(services, caller, params.row, params),
});

export const enableOperation = defineEndpoint({
  name: "enableOperation",
  summary: "Enable an operation of a row",
  description: "An operation that waits for a review is not enabled but approved.",
  params: byRowAndOperation,
  answer: operationStateSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) =>
    operations.enableOperation(services, actor, params.row, params),
});

export const disableOperation = defineEndpoint({
  name: "disableOperation",
  needsSpace: false,
  summary: "Disable an operation of a row",
  params: byRowAndOperation,
  answer: operationStateSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    operations.disableOperation(services, actor, params.row, params),
});

export const testOperation = defineEndpoint({
  name: "testOperation",
  asksOutside: true,
  summary: "Call an operation of a row",
  description:
    "The call is recorded with the source `test` and sealed like any other: secrets are returned as the caller's tokens. Admins can call widget and maintenance operations and disabled rows too, other users what clients can call. With `retry_of` the source is `retry`, and the new call names that one as its parent.",
  params: byRowAndOperation,
  body: z.strictObject({
    params: testParamsSchema,
    retry_of: z.uuid().optional().meta({
      description:
        "A recorded call of the same operation of this row, whose params were the start.",
    }),
  }),
  answer: testedSchema,
  failures: callFailures,
  async handle(call) {
    const { services, params, body } = call;
    const { params: given, retry_of: retryOf } = body;
    const input = {
      operation: params.operation,
      params: given,
      ...(retryOf !== undefined && { retryOf }),
    };
    const ctx = toTestContext(call);
    const { value, runId } = await tests.testRow(services, ctx, params.row, input);
    return { result: value, run_id: runId };
  },
});

const healthSchema = z.object({
  ok: z.boolean(),
  reason: z.string().optional(),
  program_output: z.string().optional().meta({
    description: "The last lines that the row's program wrote to its standard error, masked.",
  }),
});

export const checkRowHealth = defineEndpoint({
  name: "checkRowHealth",
  asksOutside: true,
  summary: "Check with the outside system that a row's configuration works",
  params: byRow,
  answer: healthSchema,
  failures: ["not_found", "needs_setup", "upstream_error", "timeout", "plugin_unavailable"],
  handle: (call) => tests.checkRowHealth(call.services, toTestContext(call), call.params.row),
});

export const lookUpForRow = defineEndpoint({
  name: "lookUpForRow",
  asksOutside: true,
  summary: "List a picker's options for a typed text",
  description:
    "At most 20. Answers are cached for a minute. Admins can use every picker of the row; other users those among the inputs of operations that they may call. An unknown `source` is refused with those that can be used.",
  params: byRow,
  query: z.strictObject({
    source: z.string().meta({ description: "The field's `source`." }),
    q: z.string().default("").meta({ description: "What was typed." }),
  }),
  answer: z.array(z.object({ id: z.string(), name: z.string() })),
  failures: [
    "not_found",
    "needs_setup",
    "invalid_params",
    "upstream_error",
    "timeout",
    "plugin_unavailable",
  ],
  handle: (call) => {
    const { source, q: query } = call.query;
    const ctx = toTestContext(call);
    return tests.lookUpForRow(call.services, ctx, call.params.row, { source, query });
  },
});
