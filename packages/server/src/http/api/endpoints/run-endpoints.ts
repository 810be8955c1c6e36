import { runSchema } from "@hub/contract/run.ts";
import { historyRunSchema, type RunPage, runPageSchema } from "@hub/contract/run-history.ts";
import { z } from "zod";
import type { Caller } from "../../../caller.ts";
import * as cancellation from "../../../services/runs/cancel-running.ts";
import * as history from "../../../services/runs/own-run-history.ts";
import * as retries from "../../../services/runs/retry-run.ts";
import type { ServiceDeps } from "../../../services/service-deps.ts";
import { defineEndpoint } from "../endpoint.ts";
import { defineLinesEndpoint } from "../lines-endpoint.ts";
import { testedSchema } from "./check-tested.ts";
import { byRow } from "./path-params.ts";
import { byAnyConnector, runFilter, runPageQuery } from "./run-query.ts";

const byRun = z.object({ run: z.uuid().meta({ description: "Id of a recorded call." }) });
const exportPage = 500;

export const listRowRuns = defineEndpoint({
  name: "listRowRuns",
  summary: "List a row's calls, newest first",
  description:
    "With filters a page may contain fewer calls than `limit` although `next` names another page.",
  params: byRow,
  query: runPageQuery,
  answer: runPageSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params, query }) =>
    history.listRunHistory(services, caller, { ...query, ...params }),
});

export const exportRowRuns = defineLinesEndpoint({
  name: "exportRowRuns",
  summary: "Export a row's calls, one JSON object per line, newest first",
  params: byRow,
  query: runFilter,
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
  query: runPageQuery.extend(byAnyConnector),
  answer: runPageSchema,
  handle: ({ services, caller, query }) => history.listRunHistory(services, caller, query),
});

export const exportAllRuns = defineLinesEndpoint({
  name: "exportAllRuns",
  summary: "Export the calls of all rows, one JSON object per line, newest first",
  query: runFilter.extend(byAnyConnector),
  answer: runSchema,
  handle: ({ services, caller, query }) => exportRuns(services, caller, query),
});

export const listOwnRuns = defineEndpoint({
  name: "listOwnRuns",
  summary: "List your calls, newest first",
  description:
    "Calls of meta-tools are included; calls of rows that you no longer see are not. With filters a page may contain fewer calls than `limit` although `next` names another page.",
  query: runPageQuery.omit({ user: true }).extend(byAnyConnector),
  answer: runPageSchema,
  handle: ({ services, caller, query }) => history.listOwnRuns(services, caller, query),
});

export const exportOwnRuns = defineLinesEndpoint({
  name: "exportOwnRuns",
  summary: "Export your calls, one JSON object per line, newest first",
  query: runFilter.omit({ user: true }).extend(byAnyConnector),
  answer: runSchema,
  handle: ({ services, caller, query }) =>
    exportPages((page) => history.listOwnRuns(services, caller, { ...query, ...page })),
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
