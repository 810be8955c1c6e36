import type { StdioServer } from "../clients/client-definition.ts";
import { toPrintable } from "./table.ts";

type FirstAdmin = { email: string; token: string; one_time_password: string };

/** The output of `hub serve` when it listens. */
export type Welcome = {
  name: string;
  /** Host and port on which the server listens. */
  listening: string;
  /** Base URL for clients. */
  url: string;
  /** The absolute path. */
  dataDir: string;
  /** Only at the first start. */
  firstAdmin: FirstAdmin | null;
  stdioServer: StdioServer;
};

/** The address and, at the first start, commands and entries that work as pasted. */
export function toWelcomeText(welcome: Welcome): string {
  const { name, listening, url, dataDir, firstAdmin } = welcome;
  const address = `Hub is listening on ${listening}\nMCP clients connect to ${url}/mcp\nThe data folder is ${toPrintable(dataDir)}`;
  if (firstAdmin === null) {
    return `${address}\nSign in at ${url}\n\nCreate a token for a client: ${name} token create --user EMAIL --name NAME`;
  }
  return `${address}\n\n${toFirstStartText(welcome, firstAdmin)}`;
}

function toFirstStartText(
  { name, url, stdioServer }: Welcome,
  { email, token, one_time_password: password }: FirstAdmin,
): string {
  const bearer = `Authorization: Bearer ${token}`;
  const call =
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hub_list","arguments":{}}}';
  // Some clients treat an entry without a type as a command to start.
  const entry = { type: "http", url: `${url}/mcp`, headers: { Authorization: `Bearer ${token}` } };
  return `First start: created the admin ${email}. The password and the token are shown only once.

Sign in at ${url} with a one-time password:

  ${password}

A token for clients:

  ${token}

Call a tool with curl:

  curl -s ${url}/mcp -H '${bearer}' -H 'Content-Type: application/json' -d '${call}'

Claude Code:

  claude mcp add --transport http hub ${url}/mcp --header "${bearer}"

Cursor (~/.cursor/mcp.json) and other clients with this format:

  ${JSON.stringify({ mcpServers: { hub: entry } })}

Clients on this machine that start their servers themselves (no token, a local admin):

  ${JSON.stringify({ mcpServers: { hub: stdioServer } })}

Next, add a row for clients to call: ${name} row add --help`;
}
