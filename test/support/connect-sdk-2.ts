import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import {
  StdioClientTransport,
  type StdioServerParameters,
} from "@modelcontextprotocol/client/stdio";
import { createTestClient, type TestClient } from "./mcp-client.ts";
import { type StdioOptions, toStdioCommand } from "./stdio-command.ts";

/** `auto` selects the newest mode that the server supports; `legacy` is the session mode. */
export type Negotiation = "auto" | "legacy" | { pin: string };

/** `@modelcontextprotocol/client` 2.4 over HTTP. */
export function connectHttp(
  url: string,
  token: string,
  mode: Negotiation = "auto",
): Promise<Sdk2Client> {
  const methods: string[] = [];
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
    fetch(input, init) {
      if (typeof init?.body === "string") methods.push(JSON.parse(init.body).method);
      return fetch(input, init);
    },
  });
  return connect(transport, mode, methods);
}

/** The same client with a server as its child process. */
export function connectStdio(
  options: StdioOptions,
  mode: Negotiation = "auto",
): Promise<Sdk2Client> {
  return connectCommand(toStdioCommand(options), mode);
}

/** The same client with another server command. */
export function connectCommand(
  server: StdioServerParameters,
  mode: Negotiation,
): Promise<Sdk2Client> {
  const methods: string[] = [];
  const transport = new StdioClientTransport({ stderr: "ignore", ...server });
  const send = transport.send.bind(transport);
  transport.send = (message) => {
    if ("method" in message) methods.push(message.method);
    return send(message);
  };
  return connect(transport, mode, methods);
}

export type Sdk2Client = TestClient & {
  /** The revision that both sides agreed on. */
  revision(): string | undefined;
  /** The methods of the messages that the client has sent, without the probe over stdio. */
  sent(): readonly string[];
};

async function connect(
  transport: Transport,
  mode: Negotiation,
  methods: readonly string[],
): Promise<Sdk2Client> {
  const client = new Client(
    { name: "hub-test", version: "2.0.0" },
    { versionNegotiation: { mode } },
  );
  await client.connect(transport);
  const testClient = createTestClient(client, (request, options) =>
    client.callTool(request, options),
  );
  return {
    ...testClient,
    revision: () => client.getNegotiatedProtocolVersion(),
    sent: () => methods,
  };
}
