import { callErrorsSchema, callFiguresSchema } from "@hub/contract/call-figures.ts";
import { runSchema, runSourceSchema, runStatusSchema } from "@hub/contract/run.ts";
import {
  historyRunSchema,
  type RunPage,
  runCountsSchema,
  runPageSchema,
  runSummarySchema,
} from "@hub/contract/run-history.ts";
import { z } from "zod";
import type { Caller } from "../../../caller.ts";
import * as cancellation from "../../../services/runs/cancel-running.ts";
import * as counts from "../../../services/runs/count-runs-by-hour.ts";
import { figureCalls } from "../../../services/runs/figure-calls.ts";
import { groupErrors } from "../../../services/runs/group-errors.ts";
import * as history from "../../../services/runs/own-run-history.ts";
import * as retries from "../../../services/runs/retry-run.ts";
import * as summary from "../../../services/runs/summarize-runs.ts";
import type { ServiceDeps } from "../../../services/service-deps.ts";
import { defineEndpoint } from "../endpoint.ts";
import { defineLinesEndpoint } from "../lines-endpoint.ts";
import { testedSchema } from "./check-tested.ts";
import { byRow } from "./path-params.ts";

const byRun = z.object({ run: z.uuid().meta({ description: "Id of a recorded call." }) });
const exportPage = 500;

const filterSchema = z.strictObject({
  user: z.uuid().optional().meta({ description: "Id of the user who called." }),
  status: runStatusSchema.optional(),
  source: runSourceSchema.optional(),
  operation: z.string().optional().meta({ description: "Key of an operation." }),
  code: z.string().optional().meta({ description: "Code of an error, such as `upstream_error`." }),
  error: z.string().optional().meta({
    description:
      "A text in the error message or its code; ASCII letters match in both cases. Searches your own calls only, unless you are an admin.",
  }),
  from: z
    .string()
    .optional()
    .meta({ description: "Calls that started at this time or later; RFC 3339." }),
  to: z.string().optional().meta({ description: "Calls that started before this time; RFC 3339." }),
});
const pageSchema = filterSchema.extend({
  before: z.uuid().optional().meta({ description: "The `next` of the previous page." }),
  limit: z.coerce.number().int().min(1).max(500).optional(),
});
const byAnyRow = {
  row: z.uuid().optional().meta({ description: "Id of a row, also of a deleted one." }),
};
const byAnyConnector = {
  ...byAnyRow,
  connector: z
    .string()
    .optional()
    .meta({ description: "Key of a connector: calls of its present rows." }),
};

export const listRowRuns = defineEndpoint({
  name: "listRowRuns",
  summary: "List a row's calls, newest first",
  description:
    "With filters a page may contain fewer calls than `limit` although `next` names another page.",
  params: byRow,
  query: pageSchema,
  answer: runPageSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params, query }) =>
    history.listRunHistory(services, caller, { ...query, ...params }),
});

export const exportRowRuns = defineLinesEndpoint({
  name: "exportRowRuns",
  summary: "Export a row's calls, one JSON object per line, newest first",
  params: byRow,
  query: filterSchema,
  answer: runSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params, query }) =>
    exportRuns(services, caller, { ...query, ...params }),
});

export const listRuns = defineEndpoint({
  name: "listRuns",
  summary: "List the calls of all rows, newest first",
  description:
    "With filters a page may contain fewer calls than `limit` although `next` names another page.",
  query: pageSchema.extend(byAnyConnector),
  answer: runPageSchema,
  handle: ({ services, caller, query }) => history.listRunHistory(services, caller, query),
});

export const exportAllRuns = defineLinesEndpoint({
  name: "exportAllRuns",
  summary: "Export the calls of all rows, one JSON object per line, newest first",
  query: filterSchema.extend(byAnyConnector),
  answer: runSchema,
  handle: ({ services, caller, query }) => exportRuns(services, caller, query),
});

export const listOwnRuns = defineEndpoint({
  name: "listOwnRuns",
  summary: "List your calls, newest first",
  description:
    "Calls of meta-tools are included; calls of rows that you no longer see are not. With filters a page may contain fewer calls than `limit` although `next` names another page.",
  query: pageSchema.omit({ user: true }).extend(byAnyConnector),
  answer: runPageSchema,
  handle: ({ services, caller, query }) => history.listOwnRuns(services, caller, query),
});

export const exportOwnRuns = defineLinesEndpoint({
  name: "exportOwnRuns",
  summary: "Export your calls, one JSON object per line, newest first",
  query: filterSchema.omit({ user: true }).extend(byAnyConnector),
  answer: runSchema,
  handle: ({ services, caller, query }) =>
    exportPages((page) => history.listOwnRuns(services, caller, { ...query, ...page })),
});

export const summarizeRuns = defineEndpoint({
  name: "summarizeRuns",
  summary: "Count calls by outcome, row and hour",
  description: "For the last day, or for the full hours between `from` and `to`.",
  query: z.strictObject({
    from: z.string().optional(),
    to: z.string().optional(),
    ...byAnyRow,
    by_row: z.enum(["all", "none"]).default("all").meta({
      description:
        "With `none`, the list by rows is empty, which a hub with thousands of rows needs.",
    }),
  }),
  answer: runSummarySchema,
  async handle({ services, query: { by_row: byRow, ...query } }) {
    const answer = await summary.summarizeRuns(services, query);
    return byRow === "all" ? answer : { ...answer, by_row: [] };
  },
});

const countsNote =
  "For the last day, or between `from` and `to`. At most 20,000 calls are looked at, the newest first; `counted_from` says where the count stopped.";

export const countRuns = defineEndpoint({
  name: "countRuns",
  summary: "Count the newest calls that match a filter, by outcome and hour",
  description: countsNote,
  query: filterSchema.extend(byAnyConnector),
  answer: runCountsSchema,
  handle: ({ services, caller, query }) => counts.countAllRuns(services, caller, query),
});

export const countOwnRuns = defineEndpoint({
  name: "countOwnRuns",
  summary: "Count your newest calls, by outcome and hour",
  description: countsNote,
  query: filterSchema.omit({ user: true }).extend(byAnyConnector),
  answer: runCountsSchema,
  handle: ({ services, caller, query }) => counts.countOwnRuns(services, caller, query),
});

const figuresNote =
  "At most 5,000 calls are looked at, the newest first; `counted_from` says where it stopped.";
const allFilter = filterSchema.extend(byAnyConnector);
const ownFilter = filterSchema.omit({ user: true }).extend(byAnyConnector);

export const figureRuns = defineEndpoint({
  name: "figureRuns",
  summary: "Sum up the newest calls that match a filter",
  description: `Error rate, times, the operations and users with the most calls, and the slowest calls. ${figuresNote}`,
  query: allFilter,
  answer: callFiguresSchema,
  handle: ({ services, caller, query }) => figureCalls(services, caller, "all", query),
});

export const figureOwnRuns = defineEndpoint({
  name: "figureOwnRuns",
  summary: "Sum up your newest calls that match a filter",
  description: figuresNote,
  query: ownFilter,
  answer: callFiguresSchema,
  handle: ({ services, caller, query }) => figureCalls(services, caller, "own", query),
});

export const groupRunErrors = defineEndpoint({
  name: "groupRunErrors",
  summary: "Group the newest calls that failed by what failed and why",
  description: figuresNote,
  query: allFilter,
  answer: callErrorsSchema,
  handle: ({ services, caller, query }) => groupErrors(services, caller, "all", query),
});

export const groupOwnRunErrors = defineEndpoint({
  name: "groupOwnRunErrors",
  summary: "Group your newest calls that failed by what failed and why",
  description: figuresNote,
  query: ownFilter,
  answer: callErrorsSchema,
  handle: ({ services, caller, query }) => groupErrors(services, caller, "own", query),
});

export const showRun = defineEndpoint({
  name: "showRun",
  summary: "Show one call",
  description:
    "Request and response are shown to the user who made the call and to admins, sealed and cut to 16 KiB each.",
  params: byRun,
  answer: historyRunSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params }) => history.viewRun(services, caller, params.run),
});

export const showRunForm = defineEndpoint({
  name: "showRunForm",
  summary: "Show a call as a form to fill in",
  description: "Tokens are left blank, because they work only for the user who made the call.",
  params: byRun,
  answer: z.object({ tool_id: z.string(), params: z.record(z.string(), z.unknown()) }),
  failures: ["not_found"],
  async handle({ services, params }) {
    const form = await retries.readRunForm(services, params.run);
    return { tool_id: form.toolId, params: form.params };
  },
});

export const retryRun = defineEndpoint({
  name: "retryRun",
  asksOutside: true,
  summary: "Repeat one of your calls",
  description: "It passes every check again. The new call names this one as its parent.",
  params: byRun,
  answer: testedSchema,
  failures: [
    "not_found",
    "conflict",
    "operation_disabled",
    "connector_disabled",
    "invalid_params",
    "upstream_error",
    "plugin_unavailable",
    "timeout",
  ],
  async handle({ services, caller, signal, ip, userAgent, params }) {
    const ctx = { caller, signal, ip, userAgent };
    const { value, runId } = await retries.retryRun(services, ctx, params.run);
    return { result: value, run_id: runId };
  },
});

export const cancelRun = defineEndpoint({
  name: "cancelRun",
  needsSpace: false,
  summary: "Stop a running call",
  description:
    "Users can stop their own calls, admins all calls. A call in another process stops within seconds.",
  params: byRun,
  answer: z.object({ id: z.uuid(), cancelling: z.literal(true) }),
  failures: ["not_found", "conflict"],
  async handle({ services, caller, params }) {
    await cancellation.cancelRun(services, caller, params.run);
    return { id: params.run, cancelling: true as const };
  },
});

function exportRuns(
  services: Pick<ServiceDeps, "store" | "registry">,
  caller: Caller,
  filter: history.HistoryFilter,
) {
  return exportPages((page) => history.listRunHistory(services, caller, { ...filter, ...page }));
}

async function* exportPages(
  read: (page: Pick<history.HistoryFilter, "before" | "limit">) => Promise<RunPage>,
) {
  let before: string | undefined;
  do {
    const page = await read({ limit: exportPage, ...(before !== undefined && { before }) });
    yield page.runs;
    before = page.next ?? undefined;
  } while (before !== undefined);
}
