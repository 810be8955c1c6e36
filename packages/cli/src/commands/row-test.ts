import { parseJson } from "@hub/connector";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { collectPairs } from "../pairs.ts";
import { toIndentedJson } from "../print.ts";
import { rowArgument } from "../row-argument.ts";
import { toPrintable } from "../table.ts";
import { toUsageError } from "../usage-error.ts";
import { waitForEnd } from "../wait-for-end.ts";

type TestOptions = { param?: Record<string, string>; paramsJson?: string };

export function defineRowTest(row: Command, cli: Cli): void {
  row
    .command("test")
    .argument(...rowArgument)
    .argument("<operation>", "key of the operation")
    .description("run one operation as an admin, also where clients cannot; it is recorded")
    .option("--param <key=value>", "one param; may be repeated", collectPairs)
    .option("--params-json <object>", "all params as a JSON object")
    .addHelpText(
      "after",
      `
Example:
  $ ${cli.name} row test "Issue tracker" get --param path=/issues`,
    )
    .action((name: string, operation: string, options: TestOptions, command: Command) =>
      cli.answer(command, async ({ manager }) => {
        const params = toParams(options);
        const caller = await findLocalAdmin();
        const controller = new AbortController();
        const ended = waitForEnd();
        ended.ended.then(() => controller.abort());
        try {
          const result = await manager.rows.test(
            {
              caller,
              signal: controller.signal,
              onProgress: ({ done, total, message = "" }) => {
                const steps = total === undefined ? `${done}` : `${done}/${total}`;
                cli.terminal.stderr.write(`${steps} ${toPrintable(message)}\n`);
              },
            },
            { row: name, operation, params },
          );
          return { json: result.value, text: toIndentedJson(result.value) };
        } finally {
          ended.stop();
        }
      }),
    );
}

function toParams({ param = {}, paramsJson = "{}" }: TestOptions): Record<string, unknown> {
  return { ...toObject(paramsJson), ...param };
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

async function findLocalAdmin() {
  const { localAdmin } = await import("@hub/server/identity/local-admin.ts");
  return localAdmin;
}
