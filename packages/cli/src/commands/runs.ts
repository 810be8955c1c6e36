import type { Run, RunDetail, RunSource, RunStatus } from "@hub/contract/run.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { toWholeNumber } from "../input/option-values.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { followRuns, toRunFilter } from "../runs/follow-runs.ts";
import { toIndentedJson } from "../text/print-answer.ts";
import { type Column, toFacts, toTable } from "../text/table.ts";

const loadRuns = () => import("@hub/server/services/runs/list-recorded-runs.ts");
const loadRetries = () => import("@hub/server/services/runs/retry-run.ts");

type ListOptions = {
  row?: string;
  user?: string;
  status?: RunStatus;
  source?: RunSource;
  operation?: string;
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
    .option("--before <id>", "only calls before this one, for the next page")
    .option("--limit <number>", "maximum number of calls (default: 50)", toWholeNumber)
    .option("--follow", "print each new call as it ends; with --json, one document per line")
    .addHelpText(
      "after",
      `
Examples:
  $ ${cli.name} runs --status error --limit 20
  $ ${cli.name} runs --row "Issue tracker" --follow
  $ ${cli.name} runs show 0198c0de-7a3b-7c1e-8f00-2b7d5a1e9c44`,
    )
    .action(async ({ follow, ...filter }: ListOptions, command: Command) => {
      if (follow) return await followRuns(cli, command, filter, toLine);
      await cli.answer(command, async ({ services, lookups }) => {
        const { listRuns } = await loadRuns();
        const list = await listRuns(services, await toRunFilter(lookups, filter));
        return { json: list, text: toTable(list, columns, "No calls are recorded.") };
      });
    });

  runs
    .command("show")
    .argument("<id>")
    .description("show one recorded call with its request and response, secrets masked")
    .action((id: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const run = await (await loadRuns()).showRun(services, id);
        return { json: run, text: toRunText(run) };
      }),
    );

  defineRetry(runs, cli);
}

function defineRetry(runs: Command, cli: Cli): void {
  runs
    .command("retry")
    .argument("<id>")
    .description("repeat a recorded call of the local admin with the same params")
    .option("--form", "print the call with blank tokens instead; works for calls of all users")
    .action((id: string, { form }: { form?: true }, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const { readRunForm, retryRun } = await loadRetries();
        if (form) {
          const { toolId, params } = await readRunForm(services, id);
          const call = { tool_id: toolId, params };
          return { json: call, text: toIndentedJson(call) };
        }
        const { value } = await callAsLocalAdmin(cli, (ctx) => retryRun(services, ctx, id));
        return { json: value, text: toIndentedJson(value) };
      }),
    );
}

const columns: Column<Run>[] = [
  ["started", (run) => run.started_at],
  ["status", (run) => run.status],
  ["row", (run) => run.row_label],
  ["operation", (run) => run.operation_key],
  ["user", (run) => run.user ?? run.user_id],
  ["source", (run) => run.source],
  ["ms", (run) => run.latency_ms],
  ["error", (run) => run.error_code],
  ["id", (run) => run.id],
];

/** One line of `--follow`. Column widths are fixed, because later lines are not known yet. */
function toLine(run: Run): string {
  const { started_at, status, row_label, operation_key, error_code, id } = run;
  const target = row_label === null ? operation_key : `${row_label} / ${operation_key}`;
  const line = `${started_at}  ${status.padEnd(9)}  ${target}  ${run.user ?? run.user_id}`;
  return `${line}  ${error_code === null ? "" : `${error_code}  `}${id}`;
}

function toRunText(run: RunDetail): string {
  const facts = toFacts([
    ["id", run.id],
    ["started", run.started_at],
    ["ended", run.ended_at],
    ["status", run.status],
    ["row", run.row_label],
    ["row id", run.connector_id],
    ["operation", run.operation_key],
    ["user", run.user ?? run.user_id],
    ["token id", run.token_id],
    ["source", run.source],
    ["retry of", run.parent_run_id],
    ["latency", run.latency_ms === null ? null : `${run.latency_ms} ms`],
    ["http status", run.http_status],
    ["from", run.ip_address],
    ["user agent", run.user_agent],
    ["error", run.error_code],
    ["message", run.error_msg],
  ]);
  const request = `request${run.request_cut ? " (cut)" : ""}\n${toIndentedJson(run.request)}`;
  return `${facts}\n\n${request}\n\nresponse\n${toIndentedJson(run.response)}`;
}
