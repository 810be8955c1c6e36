// The MCP server of outside.ts over stdio.
import { answerMcp } from "./answer-mcp.ts";

for await (const line of console) {
  if (line === "") continue;
  const reply = answerMcp(JSON.parse(line));
  if (reply !== null) await Bun.write(Bun.stdout, `${JSON.stringify(reply)}\n`);
}
