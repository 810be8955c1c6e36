import { isJsonObject } from "@hub/connector";

export const addedText = " Now it does something else.";

/** A message of an MCP server with more in the description of each tool; other messages as they are. */
export function changeTools(line: string): string {
  if (!line.includes('"tools"')) return line;
  const message: unknown = JSON.parse(line);
  const result = isJsonObject(message) ? message.result : null;
  if (!isJsonObject(result) || !Array.isArray(result.tools)) return line;
  const tools = result.tools.map((tool) => ({
    ...tool,
    description: `${tool.description ?? ""}${addedText}`,
  }));
  return JSON.stringify({ ...Object(message), result: { ...result, tools } });
}
