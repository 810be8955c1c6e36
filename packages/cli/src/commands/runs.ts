import type { InnerCalls, Run, RunDetail, RunSource, RunStatus } from "@hub/contract/run.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { command } from "../declare/command.ts";
import { argument, flag } from "../declare/parameters.ts";
import { detail, table } from "../declare/view.ts";
import { toWholeNumber } from "../input/option-values.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { followRuns, toRunFilter } from "../runs/follow-runs.ts";
import { toIndentedJson } from "../text/print-answer.ts";

const loadRuns = () => import("@hub/server/services/runs/list-recorded-runs.ts");

type ListOptions = {
  row?: string;
  user?: string;
  status?: RunStatus;
  source?: RunSource;
  operation?: string;
  cause?: string;
  before?: string;
  limit?: number;
  follow?: true;
};

const statuses: RunStatus[] = ["running", "success", "error", "denied", "cancelled"];
const sources: RunSource[] = ["mcp", "test", "retry", "workflow"];

export function define(runs: Command, cli: Cli): void {
  runs
    .description("list recorded calls, newest first, or follow them as they end")
    .option("--row <row>", "only calls of this row: id, first characters of the id, or label")
    .option("--user <email>", "only calls of this user, or of local-admin")
    .addOption(new Option("--status <status>", "only calls with this status").choices(statuses))
    .addOption(new Option("--source <source>", "only calls from this source").choices(sources))
    .option("--operation <key>", "only calls of this operation or meta-tool")
    .option("--cause <id>", "only the calls that this message or script made")
    .option("--before <id>", "only calls before this one, for the next page")
    .option("--limit <number>", "maximum number of calls (default: 50)", toWholeNumber)
    .option("--follow", "print each new call as it ends; with --json, one document per line")
    .addHelpText(
      "after",
      `
Examples:
  $ ${cli.name} runs --status error --limit 20
  $ ${cli.name} runs --row "Issue tracker" --follow
  $ ${cli.name} runs --cause 0198c0de-7a3b-7c1e-8f00-2b7d5a1e9c44
  $ ${cli.name} runs show 0198c0de-7a3b-7c1e-8f00-2b7d5a1e9c44`,
    )
    .action(async ({ follow, ...filter }: ListOptions, command: Command) => {
      if (follow) return await followRuns(cli, command, filter, toLine);
      await cli.answer(command, async ({ services, lookups }) => {
        const { listRuns } = await loadRuns();
        const list = await listRuns(services, await toRunFilter(lookups, filter));
        return { json: list, text: toRunTable(list) };
      });
    });

  for (const defineCommand of [show, retry]) defineCommand(runs, cli);
}

const takes = { id: argument("<id>") };

const show = command(
  "show",
  "show one recorded call with its request and response, secrets masked",
  {
    takes,
    does: async ({ services }, { id }) => (await loadRuns()).showRun(services, id),
    shows: toRunText,
  },
);

const retry = command("retry", "repeat a recorded call of the local admin with the same params", {
  takes: {
    ...takes,
    form: flag("print the call with blank tokens instead; works for calls of all users"),
  },
  async does({ services }, { id, form }, cli) {
    const { readRunForm, retryRun } = await import("@hub/server/services/runs/retry-run.ts");
    if (!form) return (await callAsLocalAdmin(cli, (ctx) => retryRun(services, ctx, id))).value;
    const { toolId, params } = await readRunForm(services, id);
    return { tool_id: toolId, params };
  },
  shows: toIndentedJson,
});

const toRunTable = table<Run>(
  [
    ["started", "started_at"],
    "status",
    ["row", "row_label"],
    ["operation", toOperation],
    ["user", toCaller],
    "source",
    ["ms", "latency_ms"],
    ["error", "error_code"],
    "id",
  ],
  "No calls are recorded.",
);

const toFacts = detail<RunDetail>([
  "id",
  ["started", "started_at"],
  ["ended", "ended_at"],
  "status",
  ["row", "row_label"],
  ["row id", "connector_id"],
  ["operation", toOperation],
  ["user", toCaller],
  ["token id", "token_id"],
  "account",
  "source",
  ["retry of", "parent_run_id"],
  ["made by", ({ cause }) => toMaker(cause)],
  ["calls", ({ calls }) => (calls === undefined ? null : toCallsText(calls))],
  ["latency", ({ latency_ms: ms }) => (ms === null ? null : `${ms} ms`)],
  ["http status", "http_status"],
  ["from", "ip_address"],
  ["client", "client"],
  ["user agent", "user_agent"],
  ["error", "error_code"],
  ["message", "error_msg"],
]);

/** The message or script that made a call. Other causes have lines of their own. */
function toMaker({ kind, id }: Run["cause"]): string | null {
  if (kind !== "batch" && kind !== "script") return null;
  return `the ${kind === "batch" ? "message" : "script"} ${id}`;
}

/** How many calls a message or script made. */
function toCallsText({ total, failed }: InnerCalls): string {
  return failed === 0 ? `${total}` : `${total}, ${failed} failed`;
}

function toCaller(run: Run): string {
  return run.user ?? run.user_id;
}

/** The operation with what distinguishes the call from others: `get /orders/17`. */
function toOperation({ operation_key: operation, argument }: Run): string {
  return argument === null ? operation : `${operation} ${argument}`;
}

/** One line of `--follow`. Column widths are fixed, because later lines are not known yet. */
function toLine(run: Run): string {
  const { started_at, status, row_label, error_code, id } = run;
  const target = row_label === null ? toOperation(run) : `${row_label} / ${toOperation(run)}`;
  const line = `${started_at}  ${status.padEnd(9)}  ${target}  ${toCaller(run)}`;
  return `${line}  ${error_code === null ? "" : `${error_code}  `}${id}`;
}

function toRunText(run: RunDetail): string {
  const request = `request${run.request_cut ? " (cut)" : ""}\n${toIndentedJson(run.request)}`;
  return `${toFacts(run)}\n\n${request}\n\nresponse\n${toIndentedJson(run.response)}`;
}
