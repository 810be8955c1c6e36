import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import {
  StdioClientTransport,
  type StdioServerParameters,
} from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { createTestClient, type TestClient } from "./mcp-client.ts";
import { type StdioOptions, toStdioCommand } from "./stdio-command.ts";

/** `@modelcontextprotocol/sdk` 1.32 over HTTP. */
export function connectHttp(url: string, token: string): Promise<TestClient> {
  return connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
}

/** The same client with the hub as its child process. `onLog` gets what the hub writes to its log. */
export function connectStdio(
  options: StdioOptions,
  onLog?: (text: string) => void,
): Promise<TestClient> {
  const command = toStdioCommand(options);
  if (onLog === undefined) return connectCommand(command);
  const transport = new StdioClientTransport({ ...command, stderr: "pipe" });
  transport.stderr?.on("data", (chunk) => onLog(String(chunk)));
  return connect(transport);
}

/** The same client with a server command as in a client's configuration file. */
export function connectCommand(server: StdioServerParameters): Promise<TestClient> {
  return connect(new StdioClientTransport({ stderr: "ignore", ...server }));
}

async function connect(transport: Transport): Promise<TestClient> {
  const client = new Client({ name: "hub-test", version: "1.0.0" });
  await client.connect(transport);
  return createTestClient(client, (request, options) =>
    client.callTool(request, undefined, options),
  );
}
