import { parseJson } from "@hub/connector";
import { command } from "../declare/command.ts";
import { argument, option, pairs } from "../declare/parameters.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { callAsLocalAdmin } from "../look-ups/call-as-local-admin.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { readTestInputs, readTestParams } from "../rows/widget-params.ts";
import { toIndentedJson } from "../text/print-answer.ts";

export const rowTest = command(
  "test",
  "call one operation as an admin, even if it is disabled, and record the call",
  {
    takes: {
      id: rowArgument,
      operation: argument("<operation>", "key of the operation"),
      param: pairs("<key=value>", "value of one param; may be repeated"),
      paramsJson: option("<object>", "all params as a JSON object"),
    },
    help: { examples: ['row test "Issue tracker" get --param path=/issues'] },
    async does({ services, registry }, { id, operation, param = {}, paramsJson = "{}" }, cli) {
      const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
      const { testRow } = await import("@hub/server/services/rows/test-row.ts");
      const { connector } = await showRow(services, id);
      const fields = registry.find(connector)?.operations.get(operation)?.inputFields ?? [];
      const inputs = readTestInputs(param);
      const params = { ...toObject(paramsJson), ...readTestParams(fields, param) };
      const input = { operation, params, ...(inputs && { inputs }) };
      return (await callAsLocalAdmin(cli, (ctx) => testRow(services, ctx, id, input))).value;
    },
    shows: toIndentedJson,
  },
);

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
