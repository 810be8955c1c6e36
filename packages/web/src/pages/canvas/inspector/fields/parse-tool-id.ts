/** The row and operation in a tool id. Null for something else, such as a placeholder of an example. */
export function parseToolId(toolId: unknown): { row: string; operation: string } | null {
  const match = /^conn:([^/]+)\/(.+)$/.exec(typeof toolId === "string" ? toolId : "");
  const [, row, operation] = match ?? [];
  return row === undefined || operation === undefined ? null : { row, operation };
}
