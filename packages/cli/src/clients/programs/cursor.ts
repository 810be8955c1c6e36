import type { Client } from "../client-definition.ts";

/** https://cursor.com/docs/mcp */
export const cursor: Client = {
  id: "cursor",
  title: "Cursor",
  format: "json",
  container: "mcpServers",
  isStrictJson: false,
  listFiles: ({ join, home }) => [join(home, ".cursor", "mcp.json")],
  listTraces: ({ join, home, platform }) => [
    join(home, ".cursor"),
    ...(platform === "darwin" ? ["/Applications/Cursor.app"] : []),
  ],
  commands: ["cursor", "cursor-agent"],
  toStdioEntry: (server) => ({ type: "stdio", ...server }),
  toHttpEntry: ({ url, headers }) => ({ url, headers }),
  nextStep: "Restart Cursor, or switch the server on under Settings, MCP.",
};
