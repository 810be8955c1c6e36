/** An answer of the test server; `undefined` is its usual one. */
type Script = (
  request: Request,
  url: URL,
  tokenRequests: readonly TokenRequest[],
) => Answer | Promise<Answer>;

type Answer = Response | undefined;

/** A request to the token endpoint, as its fields. */
type TokenRequest = Record<string, string>;

/** An MCP server that is its own authorization server, on a free port, which does what the script says. */
export function serveAuthorization(script: Script = () => undefined) {
  const tokenRequests: TokenRequest[] = [];
  const paths: string[] = [];
  let count = 0;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      paths.push(`${request.method} ${url.pathname}`);
      if (url.pathname === "/token") {
        const fields = Object.fromEntries(new URLSearchParams(await request.clone().text()));
        tokenRequests.push(fields);
      }
      return (await script(request, url, tokenRequests)) ?? answer(request, url);
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;

  function answer(request: Request, { pathname }: URL): Response {
    if (pathname === "/mcp") return challenge();
    if (pathname === "/.well-known/oauth-protected-resource/mcp") return Response.json(resource());
    if (pathname === "/.well-known/oauth-authorization-server") return Response.json(metadata());
    if (pathname === "/register") {
      return Response.json(
        { client_id: "client-1", redirect_uris: ["http://127.0.0.1/back"] },
        { status: 201 },
      );
    }
    if (pathname === "/token") {
      count += 1;
      return Response.json(tokens(count));
    }
    if (pathname === "/revoke") return new Response(null, { status: 200 });
    return new Response(`${request.method} is not here`, { status: 404 });
  }

  const challenge = () =>
    new Response(null, {
      status: 401,
      headers: {
        "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp", scope="read write"`,
      },
    });
  const resource = () => ({ resource: `${origin}/mcp`, authorization_servers: [origin] });
  const metadata = () => ({
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    revocation_endpoint: `${origin}/revoke`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    authorization_response_iss_parameter_supported: true,
  });
  const tokens = (number: number) => ({
    access_token: `access-${number}`,
    refresh_token: `refresh-${number}`,
    token_type: "Bearer",
    expires_in: 3600,
    scope: "read write",
  });

  return {
    origin,
    address: new URL(`${origin}/mcp`),
    policy: { savedHosts: [`127.0.0.1:${server.port}`], allow: [] },
    resource,
    metadata,
    tokens,
    tokenRequests,
    paths,
    close: () => server.stop(true),
  };
}

/** A body that never ends. */
export function streamForever(): Response {
  const chunk = new Uint8Array(64 * 1024).fill(32);
  return new Response(
    new ReadableStream({ pull: (controller) => controller.enqueue(chunk.slice()) }),
    { headers: { "content-type": "application/json" } },
  );
}
