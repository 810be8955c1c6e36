import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import Provider from "oidc-provider";

export type GuardedMcpServer = AsyncDisposable & {
  /** The address of the MCP server. */
  url: string;
  /** The authorization server, at another origin. */
  issuer: string;
  /** `HUB_OUTBOUND_ALLOW` of a hub that may use it. */
  allow: string;
  /** Every token that was issued. */
  tokens: ReadonlySet<string>;
  refreshes(): number;
  revocations(): number;
  /** Ends everything that was granted. */
  revokeAll(): void;
};

type Grants = Map<string, { grantId?: string; [key: string]: unknown }>;

const tools = [
  { name: "echo", description: "Repeats the headers of the request." },
  { name: "admin", description: "Needs another scope." },
].map((tool) => ({ ...tool, inputSchema: { type: "object" } }));

/** An MCP server that repeats its access tokens, and an independent authorization server for it. */
export async function startGuardedMcpServer(): Promise<GuardedMcpServer> {
  let [refreshes, revocations] = [0, 0];
  const tokens = new Set<string>();
  const stored: Grants = new Map();
  let provider: Provider | null = null;
  const server = createServer((req, res) => {
    const isInteraction = req.url?.startsWith("/interaction/") === true;
    if (provider === null) res.writeHead(503).end();
    else if (isInteraction) void allow(provider, req, res);
    else void provider.callback()(req, res);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const issuer = `http://127.0.0.1:${address.port}`;

  const mcp = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (req) => answerMcp(req) });
  const url = `http://127.0.0.1:${mcp.port}/mcp`;

  provider = new Provider(issuer, {
    adapter: toAdapter(stored),
    cookies: { keys: ["a key of a test"] },
    responseTypes: ["code"],
    clientAuthMethods: ["client_secret_basic"],
    pkce: { required: () => true },
    issueRefreshToken: async () => true,
    rotateRefreshToken: true,
    scopes: ["tools", "offline_access"],
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => url,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: "tools",
          audience: url,
          accessTokenFormat: "opaque",
          accessTokenTTL: 600,
        }),
      },
    },
  });
  provider.on("refresh_token.saved", ({ jti }) => void tokens.add(jti));
  provider.on("access_token.saved", ({ jti }) => void tokens.add(jti));
  provider.on("refresh_token.consumed", () => {
    refreshes += 1;
  });
  provider.on("grant.revoked", () => {
    revocations += 1;
  });

  async function allow(at: Provider, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { prompt, params, session } = await at.interactionDetails(req, res);
    if (prompt.name === "login") {
      await at.interactionFinished(req, res, { login: { accountId: "ada" } });
      return;
    }
    const clientId = String(params.client_id);
    const grant = new at.Grant({ accountId: session?.accountId ?? "", clientId });
    grant.addOIDCScope(String(params.scope ?? ""));
    grant.addResourceScope(url, "tools");
    await at.interactionFinished(req, res, { consent: { grantId: await grant.save() } });
  }

  async function answerMcp(req: Request): Promise<Response> {
    const { origin, pathname } = new URL(req.url);
    const metadata = `${origin}/.well-known/oauth-protected-resource/mcp`;
    if (pathname === new URL(metadata).pathname) {
      return Response.json({
        resource: url,
        authorization_servers: [issuer],
        scopes_supported: ["tools"],
      });
    }
    const token = /^Bearer (.+)$/.exec(req.headers.get("authorization") ?? "")?.[1] ?? "";
    const known = await provider?.AccessToken.find(token);
    if (known === undefined || known.aud !== url) {
      const challenge = `Bearer resource_metadata="${metadata}", scope="tools"`;
      return new Response(null, { status: 401, headers: { "www-authenticate": challenge } });
    }
    if (req.method !== "POST") return new Response(null, { status: 405 });
    const { id, method, params } = Object(await req.json());
    if (method === "tools/call" && params.name === "admin") {
      const challenge = 'Bearer error="insufficient_scope", scope="tools admin"';
      return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
    }
    if (id === undefined) return new Response(null, { status: 202 });
    return Response.json({ jsonrpc: "2.0", id, result: toResult(method, token) });
  }

  return {
    url,
    issuer,
    tokens,
    allow: new URL(issuer).host,
    refreshes: () => refreshes,
    revocations: () => revocations,
    revokeAll: () => stored.clear(),
    async [Symbol.asyncDispose]() {
      mcp.stop(true);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function toResult(method: string, token: string): object {
  if (method === "tools/list") return { tools };
  if (method === "tools/call") {
    const text = `You sent ${token}, ${Buffer.from(token).toString("base64")}`;
    return { content: [{ type: "text", text }], structuredContent: { text } };
  }
  if (method !== "initialize") return {};
  return {
    protocolVersion: "2025-11-25",
    capabilities: { tools: {} },
    serverInfo: { name: "guarded", version: "1" },
  };
}

/** Keeps what the provider stores, so that a test can end it. */
function toAdapter(stored: Grants) {
  return (model: string) => {
    const keyOf = (id: string) => `${model}:${id}`;
    const findBy = async (name: string, value: string) =>
      [...stored.values()].find((payload) => payload[name] === value);
    return {
      upsert: async (id: string, payload: object) => void stored.set(keyOf(id), { ...payload }),
      find: async (id: string) => stored.get(keyOf(id)),
      findByUid: (uid: string) => findBy("uid", uid),
      findByUserCode: (code: string) => findBy("userCode", code),
      async consume(id: string) {
        const payload = stored.get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      destroy: async (id: string) => void stored.delete(keyOf(id)),
      async revokeByGrantId(grantId: string) {
        for (const [key, payload] of stored) if (payload.grantId === grantId) stored.delete(key);
      },
    };
  };
}
