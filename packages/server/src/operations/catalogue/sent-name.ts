import type { ToolName } from "../operations.ts";

/** Longer than any tool id. */
const charsMax = 120;

/** The arguments by which a caller has named an operation, cut: what is not known is repeated no longer. */
export function toSentName({ toolId, named }: ToolName): Record<string, string> {
  const sent = named ?? { tool_id: toolId };
  const cut = (text: string) => text.slice(0, charsMax).toWellFormed();
  return Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, cut(text)]));
}
