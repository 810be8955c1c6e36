import type { Json } from "@hub/connector";
import type { ToolEntry } from "@hub/contract/tool-entry.ts";
import { z } from "zod";
import { booleanArgument, integerArgument, textArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";
import { nameCharsMax } from "./tool-name-arguments.ts";

/** A longer list begins with what to ask instead. */
const toolsWithoutHint = 500;

export const hubList = defineMetaTool({
  name: "hub_list",
  title: "List all operations",
  description:
    "Lists every operation of every connected system that the user can access, without input schemas. " +
    "The list can be very long: use hub_search first, and this only for an overview. " +
    "With rows: true it lists the connected systems alone, with the number of their operations: use it to see what is connected. " +
    "Narrow it down with row or connector, or read it in parts with offset and limit; total is the number of all matches. " +
    "Then read an operation with hub_get before you call it.",
  // Loose, because some clients send an argument to tools that need none.
  args: z.looseObject({
    rows: booleanArgument("List the rows, which are the connected systems, alone.").optional(),
    row: textArgument("Only operations of the row with this label or id.", nameCharsMax).optional(),
    connector: textArgument(
      "Only operations of the connector with this name.",
      nameCharsMax,
    ).optional(),
    offset: integerArgument("How many operations to skip.", { min: 0, max: 1_000_000 }).optional(),
    limit: integerArgument("How many operations to return. The default is all.", {
      min: 1,
      max: 1_000_000,
    }).optional(),
  }),
  example: { row: "Issue tracker", limit: 50 },
  annotations: { readOnlyHint: true, openWorldHint: false },
  isWhole: true,
  async call(
    { operations: { catalogue } },
    { caller },
    { rows: isOfRows, row, connector, ...page },
  ) {
    const isOfConnector = (of: { connector: string }) =>
      isUnset(connector) || isSame(of.connector, connector);
    if (isOfRows) {
      const rows = (await catalogue.listRows(caller)).filter(
        (of) => (isUnset(row) || isSame(of.label, row)) && isOfConnector(of),
      );
      return { rows: takePage(rows, page), total: rows.length };
    }
    if (isUnset(row) && isUnset(connector) && page.limit === undefined && !page.offset) {
      return await catalogue.listAll(caller, (tools) => toAnswer(tools, tools.length));
    }
    const wanted = (await catalogue.list(caller)).filter(
      (tool) => (isUnset(row) || isOfRow(tool, row)) && isOfConnector(tool),
    );
    return toAnswer(takePage(wanted, page), wanted.length);
  },
});

function toAnswer(tools: readonly ToolEntry[], total: number): Json {
  const isLong = tools.length > toolsWithoutHint;
  return { ...(isLong && { hint: toHint(tools.length) }), tools: [...tools], total };
}

function takePage<Item>(
  all: readonly Item[],
  { offset = 0, limit }: { offset?: number | undefined; limit?: number | undefined },
): Item[] {
  return all.slice(offset, limit === undefined ? all.length : offset + limit);
}

function toHint(count: number): string {
  return `This list has ${count} operations. hub_search finds the operations for a task; hub_list with rows: true lists the connected systems alone, and with row the operations of one.`;
}

/** Some models send an empty text for an argument that they leave out. */
function isUnset(argument: string | undefined): argument is undefined | "" {
  return argument === undefined || argument.trim() === "";
}

function isOfRow({ label, tool_id: toolId }: ToolEntry, row: string): boolean {
  return isSame(label, row) || toolId.startsWith(`conn:${row.trim().toLowerCase()}/`);
}

function isSame(name: string, wanted: string): boolean {
  return name.trim().toLowerCase() === wanted.trim().toLowerCase();
}
