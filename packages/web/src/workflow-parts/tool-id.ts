const toolId = /^conn:([0-9a-f-]{36})\/(.+)$/i;

/** The row and the operation in a tool id. Null for something else, such as a placeholder of an example. */
export function parseToolId(text: unknown): { row: string; operation: string } | null {
  const [, row, operation] = toolId.exec(typeof text === "string" ? text : "") ?? [];
  if (row === undefined || operation === undefined) return null;
  return { row: row.toLowerCase(), operation };
}
