import type { Provider } from "./provider-names.ts";
import { toRefusal, toTokenAnswer } from "./provider-token-answers.ts";

type Kind = {
  seconds: number | null;
  rotates: boolean;
  revoke: "standard" | "delete_grant" | "bearer" | "json" | null;
};

const kinds: Record<Provider, Kind> = {
  "grant deleting": { seconds: 8 * 3600, rotates: true, revoke: "delete_grant" },
  "not rotating": { seconds: 3599, rotates: false, revoke: "standard" },
  "in a user member": { seconds: 43_200, rotates: true, revoke: "bearer" },
  rotating: { seconds: 3600, rotates: true, revoke: null },
  "as JSON": { seconds: null, rotates: true, revoke: "json" },
  "keeping the old": { seconds: 4_500, rotates: false, revoke: null },
  "without end": { seconds: null, rotates: false, revoke: "delete_grant" },
};

type Fields = Record<string, string>;

/** One grant of one user at such a provider, on a free port. */
export function serveProvider(name: Provider) {
  const kind = kinds[name];
  const renews = name !== "without end";
  let number = 0;
  let requests = 0;
  let refreshes = 0;
  let isAlive = false;
  let isDown = false;
  let refusesClient = false;
  let secret = "s3cret";
  let challenge = "";
  let person = "U1";
  let accessToken = "";
  let refreshToken = "";
  const seen: string[] = [];
  let beforeAnswer: (() => Promise<void>) | null = null;

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const url = new URL(request.url);
      const { pathname } = url;
      if (pathname === "/authorize") return consent(url);
      if (pathname.startsWith("/api")) return answerApi(request);
      if (pathname === "/token") requests += 1;
      if (isDown) return new Response("try later", { status: 503 });
      if (pathname === "/token") {
        const answer = answerToken(request, await readFields(request));
        await beforeAnswer?.();
        return answer;
      }
      return await answerRevoke(request);
    },
  });
  const origin = `http://127.0.0.1:${server.port}`;

  /** The user consents at once. */
  function consent({ searchParams }: URL): Response {
    challenge = searchParams.get("code_challenge") ?? "";
    const back = new URL(searchParams.get("redirect_uri") ?? "");
    back.searchParams.set("code", "code-1");
    back.searchParams.set("state", searchParams.get("state") ?? "");
    return Response.redirect(back.href, 302);
  }

  function answerApi(request: Request): Response {
    const sent = request.headers.get("authorization") ?? "";
    seen.push(sent);
    const isAccepted = isAlive && sent === `Bearer ${accessToken}`;
    if (!isAccepted) return new Response(null, { status: 401 });
    return Response.json({ you: accessToken, login: "ann", id: 1 });
  }

  async function readFields(request: Request): Promise<Fields> {
    const text = await request.text();
    const isJson = request.headers.get("content-type")?.includes("json");
    if (name === "as JSON" && !isJson) return {};
    return isJson ? JSON.parse(text) : Object.fromEntries(new URLSearchParams(text));
  }

  function answerToken(request: Request, fields: Fields): Response {
    if (refusesClient) return toRefusal(name, "client");
    const isBasic = request.headers.get("authorization") === `Basic ${btoa(`mine:${secret}`)}`;
    if (!isBasic && fields.client_secret !== secret) return toRefusal(name, "client");
    if (fields.resource !== undefined)
      return Response.json({ error: "invalid_request" }, { status: 400 });
    if (fields.grant_type === "authorization_code") {
      const hash = new Bun.CryptoHasher("sha256").update(fields.code_verifier ?? "");
      if (fields.code !== "code-1" || hash.digest("base64url") !== challenge)
        return toRefusal(name, "grant");
      isAlive = true;
      return give();
    }
    if (!isAlive || fields.refresh_token !== refreshToken || !renews)
      return toRefusal(name, "grant");
    refreshes += 1;
    return give();
  }

  function next(): void {
    number += 1;
    accessToken = `access-${number}`;
    if (kind.rotates || number === 1) refreshToken = `refresh-${number}`;
  }

  function give(): Response {
    next();
    const { seconds } = kind;
    return toTokenAnswer(name, {
      accessToken,
      refreshToken,
      seconds,
      person,
      isFirst: number === 1,
    });
  }

  async function answerRevoke(request: Request): Promise<Response> {
    const text = await request.text();
    const bearer = request.headers.get("authorization") === `Bearer ${accessToken}`;
    const names = [accessToken, refreshToken].some((token) => token !== "" && text.includes(token));
    if (!(kind.revoke === "bearer" ? bearer : names)) return new Response(null, { status: 404 });
    if (kind.revoke === "delete_grant" && request.method !== "DELETE") {
      return new Response(null, { status: 405 });
    }
    isAlive = false;
    return kind.revoke === "bearer"
      ? Response.json({ ok: true, revoked: true })
      : new Response(null, { status: kind.revoke === "delete_grant" ? 204 : 200 });
  }

  return {
    values: {
      auth_mode: "oauth",
      base_url: `${origin}/api`,
      client_id: "mine",
      client_secret: "s3cret",
      authorize_url: `${origin}/authorize?prompt=consent`,
      token_url: `${origin}/token`,
      client_auth: name === "as JSON" ? "basic_json" : name === "rotating" ? "post" : "basic",
      ...(kind.revoke !== null && { revoke_url: `${origin}/revoke`, revoke_method: kind.revoke }),
    },
    policy: { savedHosts: [`127.0.0.1:${server.port}`], allow: [] },
    renews,
    rotates: kind.rotates,
    expires: kind.seconds !== null,
    revokes: kind.revoke !== null,
    /** The user consents: the code of the request that the browser was sent with. */
    takeConsent(url: string): string {
      challenge = new URL(url).searchParams.get("code_challenge") ?? "";
      return "code-1";
    },
    accepts: (token: string) => isAlive && token === accessToken,
    endGrant: () => {
      isAlive = false;
    },
    isGrantAlive: () => isAlive,
    /** Who consents from now on, as the provider names them in a user member. */
    changePerson: (value: string) => {
      person = value;
    },
    refuseClient: (value: boolean) => {
      refusesClient = value;
    },
    changeClientSecret: (value: string) => {
      secret = value;
    },
    fail: (value: boolean) => {
      isDown = value;
    },
    /** What the API got as credentials. */
    seen,
    /** The API refuses the present access token. */
    endAccess: () => {
      accessToken = "ended";
    },
    /** Runs when the next tokens are made, before they are sent. */
    onTokens: (work: (() => Promise<void>) | null) => {
      beforeAnswer = work;
    },
    /** A refresh whose answer is lost. */
    answerUnseen: () => next(),
    refreshes: () => refreshes,
    tokenRequests: () => requests,
    close: () => server.stop(true),
  };
}
