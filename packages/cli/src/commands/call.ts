import { toJsonText } from "@hub/connector";
import type { BatchRequest } from "@hub/server/operations/operations.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { readDocumentFile } from "../input/read-document-file.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { toIndentedJson } from "../text/print-answer.ts";
import { toPrintable } from "../text/table.ts";
import { parseDocument } from "../workflows/workflow-file.ts";

type CallOptions = { file: string; ordered?: true; stopOnError?: true };

/** Before an operation is found, it has the names by which it was called. */
type Result = {
  tool_id?: string;
  row?: string;
  operation?: string;
  status: string;
  result?: unknown;
  error?: string;
  code?: string;
};

export function define(call: Command, cli: Cli): void {
  call
    .description(
      "make up to 100 calls that read in one message, as hub_read does, and print their results in order",
    )
    .option("--file <file>", "the calls as JSON; - is standard input", "-")
    .option("--ordered", "one call after the other (default: five at once)")
    .option("--stop-on-error", "begin no further call after one that does not succeed")
    .addHelpText(
      "after",
      `
The calls are a list of {"tool_id", "params", "fields"}, as for hub_read, or {"row", "operation", "params"}. The command calls as the local
admin, and records the message and its calls with the source test. A call that fails is one of the results, and the exit code is still 0.

Examples:
  $ ${cli.name} call --file calls.json
  $ echo '[{"tool_id": "conn:…/list_runs"}]' | ${cli.name} call --json`,
    )
    .action(async ({ file, ordered, stopOnError }: CallOptions, command: Command) => {
      const calls = await readCalls(await readDocumentFile(cli.terminal, file), file);
      await cli.answer(command, async ({ services }) => {
        const { tryOutSeveral } = await import("@hub/server/services/callable/try-out.ts");
        const batch = { calls, ordered, stopOnError };
        const { value, runId } = await callAsLocalAdmin(cli, (ctx) =>
          tryOutSeveral(services, ctx, batch),
        );
        // Safe: it is the hub's own answer.
        const results: Result[] = Object(value).results;
        return {
          json: { results, run_id: runId },
          text: results.map(toText).join("\n\n"),
          note: `The calls of this message: ${cli.name} runs --cause ${runId}`,
        };
      });
    });
}

/** The calls of a JSON text, checked as those of a client are. */
async function readCalls(text: string, file: string): Promise<BatchRequest["calls"]> {
  const from = file === "-" ? "standard input" : file;
  const given = parseDocument(`The text from ${from}`, text);
  const { callsArgument } = await import("@hub/server/mcp/tools/calls-argument.ts");
  const read = callsArgument.safeParse(given);
  if (read.success) return read.data;
  const reasons = read.error.issues.map(({ message }) => message).join(" ");
  const isOfList = read.error.issues.every(({ path }) => path.length === 0);
  throw toUsageError(`The list of calls from ${from}${isOfList ? "" : " is wrong."} ${reasons}`);
}

/** `success  conn:…/get`, and below it the result or the reason. */
function toText({ tool_id: toolId, row, operation, status, result, error, code }: Result): string {
  const head = toPrintable(`${status}  ${toolId ?? `${row}: ${operation}`}`);
  if (status === "success") return `${head}\n${toIndentedJson(result)}`;
  // An outside system may have written it.
  const reason = toPrintable(error ?? toJsonText(null));
  return `${head}\n${code === undefined ? "" : `${code}: `}${reason}`;
}
