import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Directory, Row } from "../../connectors/rows/row-directory.ts";
import type { RowCall, ToolCall } from "../admission/call.ts";
import { parseToolId, type ToolAddress } from "./tool-id.ts";

/** One operation of one row. */
export type Target = {
  row: Row;
  connector: RegisteredConnector;
  operation: Operation;
};

type FindDeps = {
  registry: Pick<ConnectorRegistry, "find">;
  directory: Pick<Directory, "find">;
};

export type Asker = Pick<
  ToolCall,
  "path" | "caller" | "hubs" | "hasWidget" | "readsOnly" | "isFromScript"
>;

/** The call of a tool id, before admission: what does not exist is null. */
export function findToolCall(deps: FindDeps, asker: Asker, toolId: string): ToolCall {
  const address = parseToolId(toolId);
  if (address === null) return { ...asker, row: null, connector: null, operation: null };
  return findAddressed(deps, asker, address);
}

/** The same of a tool id that is parsed already. */
export function findAddressed(
  deps: FindDeps,
  asker: Asker,
  { rowId, operationKey }: ToolAddress,
): ToolCall {
  const { row, connector } = findRow(deps, rowId);
  return { ...asker, row, connector, operation: row?.operations.get(operationKey) ?? null };
}

/** A manager's question to the connector of a row, before admission. */
export function findRowCall(deps: FindDeps, caller: RowCall["caller"], rowId: string): RowCall {
  return { path: "manager", caller, ...findRow(deps, rowId) };
}

function findRow({ registry, directory }: FindDeps, rowId: string) {
  const row = directory.find(rowId);
  return { row, connector: row && registry.find(row.connectorKey) };
}
