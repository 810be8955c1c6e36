/** `conn:{row id}/{operation key}`. Other prefixes are reserved for future modules. */
export type ToolAddress = { rowId: string; operationKey: string };

const toolIdPattern = /^conn:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\/([a-z0-9_]{1,64})$/;

const beginningPattern = /^(?:conn:)?([0-9a-f]{8}[0-9a-f-]{0,28})\/([a-z0-9_]{1,64})$/i;

export function toToolId(rowId: string, operationKey: string): string {
  return `conn:${rowId}/${operationKey}`;
}

/**
 * Returns null for a text that is not a tool id. Callers treat it like a tool that does not exist.
 */
export function parseToolId(toolId: string): ToolAddress | null {
  const match = toolIdPattern.exec(toolId);
  if (match === null) return null;
  const [, rowId, operationKey] = match;
  return rowId !== undefined && operationKey !== undefined ? { rowId, operationKey } : null;
}

/**
 * The address of a tool id of which the row's id may end early, after 8 characters or more, and of which `conn:` may be
 * missing. Null for another text.
 */
export function parseToolBeginning(text: string): ToolAddress | null {
  const match = beginningPattern.exec(text.trim());
  if (match === null) return null;
  const [, rowId = "", operationKey = ""] = match;
  return { rowId: rowId.toLowerCase(), operationKey: operationKey.toLowerCase() };
}
