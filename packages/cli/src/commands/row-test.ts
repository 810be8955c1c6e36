import { type FieldSpec, parseJson } from "@hub/connector";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { collectPairs } from "../input/option-values.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { readTestInputs, readTestParams } from "../rows/widget-params.ts";
import { toIndentedJson } from "../text/print-answer.ts";

type TestOptions = { param?: Record<string, string>; paramsJson?: string };

export function defineRowTest(row: Command, cli: Cli): void {
  row
    .command("test")
    .argument(...rowArgument)
    .argument("<operation>", "key of the operation")
    .description("call one operation as an admin, even if it is disabled, and record the call")
    .option("--param <key=value>", "value of one param; may be repeated", collectPairs)
    .option("--params-json <object>", "all params as a JSON object")
    .addHelpText(
      "after",
      `
Example:
  $ ${cli.name} row test "Issue tracker" get --param path=/issues`,
    )
    .action((name: string, operation: string, options: TestOptions, command: Command) =>
      cli.answer(command, async ({ services, lookups, registry }) => {
        const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
        const { testRow } = await import("@hub/server/services/rows/test-row.ts");
        const { id, connector } = await showRow(services, await lookups.findRowId(name));
        const fields = registry.find(connector)?.operations.get(operation)?.inputFields ?? [];
        const inputs = readTestInputs(options.param ?? {});
        const params = toParams(fields, options);
        const input = { operation, params, ...(inputs && { inputs }) };
        const { value } = await callAsLocalAdmin(cli, (ctx) => testRow(services, ctx, id, input));
        return { json: value, text: toIndentedJson(value) };
      }),
    );
}

function toParams(
  fields: readonly FieldSpec[],
  { param = {}, paramsJson = "{}" }: TestOptions,
): Record<string, unknown> {
  return { ...toObject(paramsJson), ...readTestParams(fields, param) };
}

function toObject(text: string): Record<string, unknown> {
  const value = parseOrNull(text);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  throw toUsageError(`--params-json must be a JSON object, such as '{"path": "/issues"}'.`);
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}
