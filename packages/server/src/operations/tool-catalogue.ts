import { oneLine, toInputSchema } from "@hub/connector";
import type { ToolDetail, ToolEntry } from "@hub/contract/tool-entry.ts";
import type { Caller } from "../caller.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Directory, Row } from "../connectors/row-directory.ts";
import { isVisible } from "../connectors/visibility.ts";
import { isOffered, isOperationEnabled, type Target } from "./find-operation.ts";
import { toToolId } from "./tool-id.ts";

const confirmWarning =
  "Destructive: it changes or deletes something. Confirm with the user before you call it.";

/** A tool with its list entry, made once for as long as nothing changes. */
export type CatalogueTool = { entry: ToolEntry; target: Target };

/** The tools that clients are offered, row by row: what `hub_list` shows to who sees every row. */
export type Catalogue = {
  stamp: string;
  tools: readonly CatalogueTool[];
  visibleTo(caller: Caller): CatalogueTool[];
};

/** Builds the catalogue of a directory. Disabled rows, types and operations have no place in it. */
export function createCatalogue(deps: { registry: ConnectorRegistry }, directory: Directory) {
  const perRow: Array<{ row: Row; tools: CatalogueTool[] }> = [];
  for (const row of directory.rows) {
    const connector = deps.registry.find(row.connectorKey);
    if (connector === null || row.disabled || directory.isTypeDisabled(row.connectorKey)) continue;
    const tools: CatalogueTool[] = [];
    for (const operation of connector.operations.values()) {
      if (!isOffered(operation) || !isOperationEnabled(row, operation)) continue;
      const target = { row, connector, operation };
      tools.push({ entry: toEntry(target), target });
    }
    perRow.push({ row, tools });
  }
  return {
    stamp: directory.stamp,
    tools: perRow.flatMap(({ tools }) => tools),
    visibleTo: (caller: Caller) =>
      perRow.flatMap(({ row, tools }) => (isVisible(caller, row) ? tools : [])),
  } satisfies Catalogue;
}

function toEntry({ row, connector, operation }: Target): ToolEntry {
  const line = oneLine(operation.description);
  return {
    tool_id: toToolId(row.id, operation.key),
    connector: connector.name,
    label: row.label,
    name: operation.name,
    description: operation.destructive ? `${line} ${confirmWarning}` : line,
    destructive: operation.destructive,
  };
}

/** Everything a client needs to call the tool right. */
export function toDetail(target: Target): ToolDetail {
  const { operation, row } = target;
  const description = [
    operation.description,
    row.description === "" ? null : `About "${row.label}": ${row.description}`,
    operation.destructive ? confirmWarning : null,
  ];
  return {
    ...toEntry(target),
    description: description.filter((part) => part !== null).join("\n\n"),
    input_schema: toInputSchema(operation.inputFields),
    ...(operation.outputSchema && { output_schema: operation.outputSchema }),
    ...(operation.examples.length > 0 && { examples: operation.examples }),
  };
}
