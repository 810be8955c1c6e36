import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTestClient, type TestClient } from "./mcp-client.ts";
import { type StdioOptions, toStdioCommand } from "./stdio-command.ts";

/** `@modelcontextprotocol/client` 2.4 over HTTP; it picks the newest era that the server speaks. */
export function connectHttp(url: string, token: string): Promise<TestClient> {
  return connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
}

/** The same client with the hub as its child process. */
export function connectStdio(options: StdioOptions): Promise<TestClient> {
  return connect(new StdioClientTransport(toStdioCommand(options)));
}

async function connect(transport: Transport): Promise<TestClient> {
  const client = new Client(
    { name: "hub-test", version: "2.0.0" },
    { versionNegotiation: { mode: "auto" } },
  );
  await client.connect(transport);
  return createTestClient(client, (request, options) => client.callTool(request, options));
}
