/** `conn:{row id}/{operation key}`; other prefixes are reserved for future kinds of modules. */
export type ToolAddress = { rowId: string; operationKey: string };

const toolIdPattern = /^conn:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([a-z0-9_]{1,64})$/;

export function toToolId(rowId: string, operationKey: string): string {
  return `conn:${rowId}/${operationKey}`;
}

/** Null for whatever is not a tool id: it names no tool, so it is as absent as a hidden one. */
export function parseToolId(toolId: string): ToolAddress | null {
  const match = toolIdPattern.exec(toolId);
  if (match === null) return null;
  const [, rowId, operationKey] = match;
  return rowId !== undefined && operationKey !== undefined ? { rowId, operationKey } : null;
}
