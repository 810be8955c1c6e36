import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { newUser } from "../../store/test-data.ts";
import { conflictOnce } from "../../store/testing/conflict-once.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { insertUser, type User } from "../../store/users/users-table.ts";
import {
  type AuthorizationServerDeps,
  createAuthorizationServer,
} from "../authorization-server.ts";
import { toAuthorizeParams, toTokenParams } from "../request-params.ts";

export const baseUrl = "https://hub.example";
export const callback = "http://127.0.0.1:4000/callback";

type Options = Partial<Pick<AuthorizationServerDeps, "fetchDocument" | "clientDocuments">>;

/** An authorization server with its own store, one user and a clock that tests set. */
export async function openTestServer(options: Options = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-oauth-"));
  const store = await openTestStore({ dataDir });
  const user = await insertUser(store.db, newUser({ email: "ada@example.com", name: "Ada" }));
  const clock = { time: Date.now() };
  const failures: unknown[] = [];
  const warnings: unknown[] = [];
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const open = (other = store) =>
    createAuthorizationServer({
      baseUrl,
      // Each change is stored once, although every transaction runs twice.
      db: conflictOnce(other.db),
      reads: other.reads,
      ring: { current: () => ring },
      now: () => clock.time,
      log: {
        debug() {},
        warn: (...parts: unknown[]) => void warnings.push(parts),
        error: (...parts: unknown[]) => void failures.push(parts),
      },
      clientDocuments: "auto",
      outboundAllow: ["127.0.0.1"],
      ...options,
    });
  const server = open();
  return {
    server,
    store,
    dataDir,
    user,
    clock,
    failures,
    warnings,
    client: createTestClient(server, user),
    /** A second server on the same database, as a stand-in for a second process. */
    async openSecond() {
      const other = await openTestStore({ dataDir });
      const second = open(other);
      return {
        server: second,
        client: createTestClient(second, user),
        async [Symbol.asyncDispose]() {
          second.close();
          await other.close();
        },
      };
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await store.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

type Fields = Record<string, string>;
type Tokens = { access_token: string; refresh_token: string; scope: string; error?: string };

export const verifier = "v".repeat(64);
export const challenge = createHash("sha256").update(verifier).digest("base64url");

/** A client and its user's browser, without HTTP between them and the server. */
function createTestClient(server: ReturnType<typeof createAuthorizationServer>, user: User) {
  let address = "192.0.2.1";
  const actor = { userId: user.id, email: user.email, tokenId: null, via: "session" } as const;
  const answer = (request: Request) => server.answer(request, address);

  async function register(metadata: Record<string, unknown> = {}): Promise<string> {
    const response = await answer(
      new Request(`${baseUrl}/oauth/register`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({
          redirect_uris: [callback],
          client_name: "Test client",
          application_type: "native",
          grant_types: ["authorization_code", "refresh_token"],
          response_types: ["code"],
          token_endpoint_auth_method: "none",
          ...metadata,
        }),
      }),
    );
    const { client_id: clientId, ...rest } = Object(await response.json());
    if (clientId === undefined) throw new Error(JSON.stringify(rest));
    return String(clientId);
  }

  /** Opens a URL in the browser. The response is a page of the hub or a redirect. */
  async function authorize(clientId: string, fields: Fields = {}): Promise<Response> {
    const params = toAuthorizeParams(
      new URLSearchParams({
        client_id: clientId,
        response_type: "code",
        redirect_uri: callback,
        code_challenge: challenge,
        code_challenge_method: "S256",
        state: randomBytes(8).toString("hex"),
        ...fields,
      }),
    );
    return answer(new Request(`${baseUrl}/oauth/authorize?${params}`));
  }

  /**
   * Follows an authorization from the consent page, over the user's consent, to the client's URI.
   */
  async function consent(started: Response, isAllowed = true): Promise<URL> {
    const request = toConsentRequest(started);
    const uid = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const pending = await server.findConsent(request, uid);
    if (pending === null) throw new Error("There is no pending consent.");
    const path = isAllowed
      ? await server.allow(request, pending, { ...actor, ip: address })
      : await server.deny(request);
    const resumed = await answer(new Request(`${baseUrl}${path}`, { headers: request.headers }));
    return new URL(resumed.headers.get("location") ?? `${baseUrl}/?${await resumed.text()}`);
  }

  async function token(fields: Fields): Promise<{ status: number; body: Tokens }> {
    const response = await answer(
      new Request(`${baseUrl}/oauth/token`, {
        method: "POST",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: toTokenParams(new URLSearchParams(fields)).toString(),
      }),
    );
    // Each test checks the members that it expects.
    return { status: response.status, body: (await response.json()) as Tokens };
  }

  const redeem = (clientId: string, code: string, fields: Fields = {}) =>
    token({
      grant_type: "authorization_code",
      client_id: clientId,
      code,
      redirect_uri: callback,
      code_verifier: verifier,
      ...fields,
    });

  return {
    /** Sends the next requests from another address. */
    moveTo(other: string) {
      address = other;
    },
    register,
    authorize,
    consent,
    token,
    redeem,
    refresh: (clientId: string, refreshToken: string, fields: Fields = {}) =>
      token({
        grant_type: "refresh_token",
        client_id: clientId,
        refresh_token: refreshToken,
        ...fields,
      }),
    revoke: (clientId: string, revoked: string) =>
      answer(
        new Request(`${baseUrl}/oauth/revoke`, {
          method: "POST",
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: new URLSearchParams({ token: revoked, client_id: clientId }).toString(),
        }),
      ),
    async getCode(clientId: string, fields: Fields = {}): Promise<string> {
      const back = await consent(await authorize(clientId, fields));
      return back.searchParams.get("code") ?? `none: ${back}`;
    },
    async getTokens(clientId: string): Promise<Tokens> {
      const back = await consent(await authorize(clientId));
      return (await redeem(clientId, back.searchParams.get("code") ?? "")).body;
    },
  };
}

/** The browser's next request, with the cookies of the response. */
export function toConsentRequest(started: Response): Request {
  const cookie = started.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const location = started.headers.get("location") ?? "";
  return new Request(new URL(location, baseUrl).href, { headers: { cookie } });
}
