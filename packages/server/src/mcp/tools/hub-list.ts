import type { ToolEntry } from "@hub/contract/tool-entry.ts";
import { z } from "zod";
import { integerArgument, textArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

/** No label or name is longer. */
const nameCharsMax = 1_000;

export const hubList = defineMetaTool({
  name: "hub_list",
  title: "List all operations",
  description:
    "Lists every operation of every connected system that the user can access, without input schemas. " +
    "The list can be very long: use hub_search first, and this only for an overview. " +
    "Narrow it down with row or connector, or read it in parts with offset and limit; total is the number of all matches. " +
    "Then read an operation with hub_get and call it with hub_execute.",
  // Loose, because some clients send an argument to tools that need none.
  args: z.looseObject({
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
  async call({ operations }, { caller }, { row, connector, offset = 0, limit }) {
    const all = await operations.catalogue.list(caller);
    const wanted = all.filter(
      (tool) =>
        (isUnset(row) || isOfRow(tool, row)) &&
        (isUnset(connector) || isSame(tool.connector, connector)),
    );
    const end = limit === undefined ? wanted.length : offset + limit;
    return { tools: wanted.slice(offset, end), total: wanted.length };
  },
});

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
