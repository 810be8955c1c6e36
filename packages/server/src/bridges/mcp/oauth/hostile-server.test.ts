/** Protects: an authorization server gets nothing that is not its own, and cannot hold the hub. */
import { afterEach, describe, expect, test } from "bun:test";
import { beginConnect } from "./begin-sign-in.ts";
import type { ConnectTarget } from "./connect-target.ts";
import { describeClientDocument } from "./describe-client.ts";
import { finishConnect } from "./finish-sign-in.ts";
import { refreshTokens } from "./refresh-tokens.ts";
import { revokeTokens } from "./revoke-tokens.ts";
import { serveAuthorization, streamForever } from "./testing/serve-authorization.ts";

const baseUrl = "http://127.0.0.1:7420";
const redirectUri = `${baseUrl}/auth/connect/callback`;
const now = () => 1_000_000;
const notGiven = { given: null, rowId: "row-1" };
/** Servers that answer at all do so in this time, on any machine. */
const timeoutMs = 60_000;

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

type Server = ReturnType<typeof serveAuthorization>;

type Answer = Response | undefined | Promise<Response>;

function open(script?: (server: Server, request: Request, url: URL) => Answer) {
  const server: Server = serveAuthorization((request, url) => script?.(server, request, url));
  closers.push(server.close);
  const { address, policy } = server;
  const target = {
    address,
    transport: "http",
    client: null,
    scope: null,
    policy,
    ...notGiven,
  } as const;
  return { server, target };
}

const failureOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `it resolved: ${JSON.stringify(value).slice(0, 300)}`,
    (thrown: Error) => thrown.message,
  );

/** Begins a sign-in, and finishes it with this answer of the authorization server. */
async function signIn(
  { server, target }: { server: Server; target: ConnectTarget },
  answer: Record<string, string> = {},
  limits = { timeoutMs },
) {
  const { attempt, state } = await beginConnect({}, target, baseUrl);
  const given = new URLSearchParams({ code: "code-1", state, iss: server.origin, ...answer });
  for (const [key, value] of Object.entries(answer)) if (value === "") given.delete(key);
  return await finishConnect({ policy: target.policy, ...limits }, attempt, given, now);
}

describe("a sign-in", () => {
  test("It asks with PKCE, state, resource and the scopes of the challenge", async () => {
    const { server, target } = open();
    const { url, state, attempt } = await beginConnect({}, target, baseUrl);
    const asked = Object.fromEntries(new URL(url).searchParams);
    expect(url).toStartWith(`${server.origin}/authorize?`);
    expect(asked).toMatchObject({
      response_type: "code",
      client_id: "client-1",
      redirect_uri: redirectUri,
      state,
      code_challenge_method: "S256",
      resource: `${server.origin}/mcp`,
      scope: "read write",
    });
    await signIn({ server, target });
    expect(server.tokenRequests).toMatchObject([
      { grant_type: "authorization_code", code: "code-1", resource: `${server.origin}/mcp` },
    ]);
    expect(attempt.codeVerifier).not.toBe(asked.code_challenge);
  });

  test("The answer of another issuer, or without one, is refused before its code is sent", async () => {
    const opened = open();
    for (const iss of ["https://evil.example", ""]) {
      expect(await failureOf(signIn(opened, { iss }))).toContain("another authorization server");
    }
    const refused = signIn(opened, { iss: "https://evil.example", error: "access_denied" });
    expect(await failureOf(refused)).toContain("another authorization server");
    expect(opened.server.tokenRequests).toEqual([]);
  });

  test("A refusal is said without the server's own words", async () => {
    const opened = open();
    const denied = { code: "", error: "access_denied", error_description: "call 555-1234" };
    expect(await failureOf(signIn(opened, denied))).toContain("was not allowed");
    const strange = await failureOf(signIn(opened, { ...denied, error: "call-555-1234" }));
    expect(strange).toContain("unknown error");
    expect(strange).not.toContain("555");
  });

  test.each([
    ["of another type", { token_type: "DPoP" }],
    ["with a line break", { access_token: "a\r\nx-evil: 1" }],
    ["that is too long", { access_token: "a".repeat(20_000) }],
    ["that is missing", { access_token: undefined }],
  ])("A token %s is refused", async (_, given) => {
    const opened = open((server, __, { pathname }) =>
      pathname === "/token" ? Response.json({ ...server.tokens(1), ...given }) : undefined,
    );
    const failure = await failureOf(signIn(opened));
    expect(failure).toContain("authorization server");
    expect(failure).not.toContain("x-evil");
  });

  test.each([
    ["huge", 1e300, 1_000_000 + 10 * 365 * 24 * 60 * 60_000],
    ["negative", -5, null],
    ["missing", undefined, null],
  ])("A %s expiry is limited or ignored", async (_, expires_in, expected) => {
    const opened = open((server, __, { pathname }) =>
      pathname === "/token" ? Response.json({ ...server.tokens(1), expires_in }) : undefined,
    );
    expect((await signIn(opened)).tokens.expiresAt).toBe(expected);
  });

  test("A refusal of a code is said without what the server repeats", async () => {
    const opened = open((_, __, { pathname }) =>
      pathname === "/token"
        ? Response.json({ error: "invalid_grant", error_description: "code-1" }, { status: 400 })
        : undefined,
    );
    const failure = await failureOf(signIn(opened));
    expect(failure).toContain("invalid_grant");
    expect(failure).not.toContain("code-1");
  });

  test.each([
    ["never ends", streamForever],
    ["has 10 MiB", () => new Response(`"${"x".repeat(10 * 1024 * 1024)}"`)],
  ])("An answer of the token endpoint that %s is refused", async (_, answer) => {
    const opened = open((__, ___, { pathname }) => (pathname === "/token" ? answer() : undefined));
    expect(await failureOf(signIn(opened))).toMatch(/larger than|did not answer/);
  });

  test("A token endpoint that hangs ends with a failure", async () => {
    const opened = open((_, __, { pathname }) =>
      pathname === "/token" ? new Promise<Response>(() => {}) : undefined,
    );
    const limits = { timeoutMs: 50 };
    expect(await failureOf(signIn(opened, {}, limits))).toContain("did not answer");
  });

  test("A code is not sent on to another address", async () => {
    const other = open();
    const opened = open((_, __, { pathname }) =>
      pathname === "/token" ? Response.redirect(`${other.server.origin}/token`, 307) : undefined,
    );
    expect(await failureOf(signIn(opened))).toContain("authorization server");
    expect(other.server.paths).toEqual([]);
  });
});

describe("metadata", () => {
  const begin = (opened: ReturnType<typeof open>) =>
    failureOf(beginConnect({ timeoutMs }, opened.target, baseUrl));

  test("Metadata that leads into the private network is refused, and nothing is sent there", async () => {
    const inner = open();
    for (const issuer of [inner.server.origin, "http://169.254.169.254", "http://10.0.0.1"]) {
      const opened = open((server, _, { pathname }) =>
        pathname.startsWith("/.well-known/oauth-protected-resource")
          ? Response.json({ ...server.resource(), authorization_servers: [issuer] })
          : undefined,
      );
      expect(await begin(opened)).toMatch(/may not call|metadata service/);
    }
    const challenged = open((_, __, { pathname }) =>
      pathname === "/mcp"
        ? new Response(null, {
            status: 401,
            headers: { "www-authenticate": `Bearer resource_metadata="${inner.server.origin}/x"` },
          })
        : undefined,
    );
    expect(await begin(challenged)).toContain("may not call");
    const redirecting = open((_, __, { pathname }) =>
      pathname === "/mcp" ? Response.redirect(`${inner.server.origin}/mcp`, 307) : undefined,
    );
    expect(await begin(redirecting)).toContain("redirects");
    expect(inner.server.paths).toEqual([]);
  });

  const changed: [string, Record<string, unknown>, string | RegExp][] = [
    ["names another issuer", { issuer: "https://evil.example" }, "another authorization server"],
    ["does not support PKCE", { code_challenge_methods_supported: undefined }, "PKCE"],
    ["supports only plain PKCE", { code_challenge_methods_supported: ["plain"] }, "PKCE"],
    [
      "sends the browser to a script",
      { authorization_endpoint: "javascript:alert(1)" },
      /not valid|https/,
    ],
    ["sends codes over http", { token_endpoint: "http://as.example/token" }, "https"],
    ["registers no clients", { registration_endpoint: undefined }, redirectUri],
    ["has no form", { issuer: 5 }, "not valid"],
  ];
  test.each(changed)("Metadata that %s is refused", async (_, members, expected) => {
    const opened = open((server, __, { pathname }) =>
      pathname === "/.well-known/oauth-authorization-server"
        ? Response.json({ ...server.metadata(), ...members })
        : undefined,
    );
    expect(await begin(opened)).toMatch(expected);
  });

  test("Metadata of another resource is refused", async () => {
    const opened = open((server, _, { pathname }) =>
      pathname.startsWith("/.well-known/oauth-protected-resource")
        ? Response.json({ ...server.resource(), resource: "https://bank.example/mcp" })
        : undefined,
    );
    expect(await begin(opened)).toContain("another address than the row's");
  });

  test.each([
    ["never ends", streamForever],
    ["has 10 MiB", () => new Response(`"${"x".repeat(10 * 1024 * 1024)}"`)],
    ["is deeply nested", () => new Response("[".repeat(200_000))],
    [
      "lists 100,000 scopes that are no texts",
      () => Response.json({ scopes_supported: Array(100_000).fill(0) }),
    ],
  ])("Metadata that %s is refused", async (_, answer) => {
    for (const at of ["oauth-protected-resource", "oauth-authorization-server"]) {
      const opened = open((__, ___, { pathname }) =>
        pathname.includes(at) ? answer() : undefined,
      );
      expect(await begin(opened)).toMatch(/larger than|did not answer|more than 5000 values/);
    }
  });

  test("A server without metadata of its own is its own authorization server", async () => {
    const opened = open((_, __, { pathname }) =>
      pathname.startsWith("/.well-known/oauth-protected-resource")
        ? new Response(null, { status: 404 })
        : pathname === "/mcp"
          ? new Response(null, { status: 401 })
          : undefined,
    );
    const { attempt } = await beginConnect({}, opened.target, baseUrl);
    expect(attempt).toMatchObject({
      metadata: { issuer: opened.server.origin },
      resource: `${opened.server.origin}/mcp`,
      scope: null,
    });
  });

  test("A server that registers no clients may take the hub's document, if the hub has https", async () => {
    const opened = open((server, _, { pathname }) =>
      pathname === "/.well-known/oauth-authorization-server"
        ? Response.json({
            ...server.metadata(),
            registration_endpoint: undefined,
            client_id_metadata_document_supported: true,
          })
        : undefined,
    );
    expect(await begin(opened)).toContain(redirectUri);
    const begun = await beginConnect({}, opened.target, "https://hub.example");
    expect([begun.clientKind, begun.attempt.client.client_id]).toEqual([
      "document",
      "https://hub.example/auth/connect/client.json",
    ]);
    expect(describeClientDocument("https://hub.example")).toMatchObject({
      client_id: begun.attempt.client.client_id,
      redirect_uris: [begun.attempt.redirectUri],
    });
  });

  test("A client that the row names is not registered, and its secret goes to the token endpoint only", async () => {
    const heads: (string | null)[] = [];
    const opened = open((server, request, { pathname }) => {
      heads.push(request.headers.get("authorization"));
      return pathname === "/.well-known/oauth-authorization-server"
        ? Response.json({
            ...server.metadata(),
            token_endpoint_auth_methods_supported: ["client_secret_basic"],
          })
        : undefined;
    });
    const client = { id: "mine", secret: "s3cret" };
    const { server, target } = opened;
    const { secrets } = await signIn({ server, target: { ...target, client } });
    expect(secrets.client).toEqual({ client_id: "mine", client_secret: "s3cret" });
    expect(server.paths).not.toContain("POST /register");
    expect(heads.filter((head) => head !== null)).toEqual([`Basic ${btoa("mine:s3cret")}`]);
  });
});

describe("a refresh", () => {
  async function connected(script?: Parameters<typeof open>[0]) {
    const opened = open(script);
    const { secrets } = await signIn(opened);
    const refresh = () => {
      const { refresh_token: token } = secrets;
      if (token === null) throw new Error("no refresh token");
      const network = { policy: opened.target.policy, timeoutMs };
      return refreshTokens(network, { ...secrets, refresh_token: token }, now);
    };
    return { ...opened, secrets, refresh };
  }
  /** Answers the second request to the token endpoint, which is the refresh. */
  const atRefresh =
    (answer: () => Response): Parameters<typeof open>[0] =>
    (server, _, { pathname }) =>
      pathname === "/token" && server.tokenRequests.length > 1 ? answer() : undefined;

  test("It sends the refresh token and the resource, and keeps a rotated token", async () => {
    const { server, refresh } = await connected();
    const outcome = await refresh();
    expect(outcome).toMatchObject({
      kind: "refreshed",
      secrets: { access_token: "access-2", refresh_token: "refresh-2" },
    });
    expect(server.tokenRequests[1]).toMatchObject({
      grant_type: "refresh_token",
      refresh_token: "refresh-1",
      client_id: "client-1",
      resource: `${server.origin}/mcp`,
    });
  });

  test("A server that does not rotate the refresh token keeps it", async () => {
    const { refresh } = await connected(
      atRefresh(() => Response.json({ access_token: "a", token_type: "bearer", expires_in: 60 })),
    );
    expect(await refresh()).toMatchObject({
      kind: "refreshed",
      tokens: { renewAt: now() + 54_000 },
      secrets: { refresh_token: "refresh-1" },
    });
  });

  const outcomes: [string, () => Response, string][] = [
    ["refuses", () => Response.json({ error: "invalid_grant" }, { status: 400 }), "lost"],
    [
      "gives no bearer token",
      () => Response.json({ access_token: "a", token_type: "mac" }),
      "lost",
    ],
    ["gives no JSON", () => new Response("<p>Sign in</p>"), "lost"],
    ["fails", () => new Response("refresh-1", { status: 503 }), "failed"],
    ["never ends", streamForever, "failed"],
    ["redirects", () => Response.redirect("https://evil.example/", 307), "failed"],
  ];
  test.each(
    outcomes,
  )("The outcome of a refresh at a server that %s is known", async (_, answer, kind) => {
    const { refresh } = await connected(atRefresh(answer));
    const outcome = await refresh();
    expect(outcome.kind).toBe(kind as typeof outcome.kind);
    expect(JSON.stringify(outcome)).not.toMatch(/refresh-1|evil/);
  });

  test("Tokens are revoked by their refresh token, and a failure is said", async () => {
    const bodies: string[] = [];
    let isAway = false;
    const revoke = async (request: Request) => {
      bodies.push(await request.text());
      return new Response(null, { status: isAway ? 503 : 200 });
    };
    const { target, secrets } = await connected((_, request, { pathname }) =>
      pathname === "/revoke" ? revoke(request) : undefined,
    );
    expect(await revokeTokens({ policy: target.policy }, secrets)).toBe(true);
    expect(bodies[0]).toBe("token=refresh-1&token_type_hint=refresh_token&client_id=client-1");
    isAway = true;
    expect(await revokeTokens({ policy: target.policy }, secrets)).toBe(false);
    const { revocation_endpoint: _, ...metadata } = secrets.metadata;
    expect(await revokeTokens({ policy: target.policy }, { ...secrets, metadata })).toBeNull();
  });
});
