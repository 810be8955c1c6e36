import { randomBytes } from "node:crypto";
import { join } from "node:path";
import type { TokenBounds } from "@hub/contract/token.ts";
import type { User } from "@hub/contract/user.ts";
import { openConfiguredStore } from "@hub/server/compose/database/open-database.ts";
import { loadConfig } from "@hub/server/config.ts";
import { describeApi } from "@hub/server/http/api/api-document.ts";
import { createHub } from "@hub/server/hub.ts";
import { hashToken } from "@hub/server/identity/authenticate-bearer.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { openSession } from "@hub/server/identity/testing/open-test-session.ts";
import { createLog } from "@hub/server/lib/logs/create-log.ts";
import {
  addServiceUser,
  createServiceToken,
} from "@hub/server/services/machines/manage-service-users.ts";
import { actAs } from "@hub/server/services/testing/act-as.ts";
import { createToken } from "@hub/server/services/users/manage-tokens.ts";
import { insertOAuthAccessToken } from "@hub/server/store/oauth/oauth-access-tokens.ts";
import { insertOAuthGrant } from "@hub/server/store/oauth/oauth-grants.ts";
import { layDatabase } from "@hub/server/store/testing/open-test-store.ts";
import { insertIdentity } from "@hub/server/store/users/identities-table.ts";
import { updateUser } from "@hub/server/store/users/users-table.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { toDatabaseEnv } from "../support/test-database.ts";
import { apiFixture } from "./api-fixture.ts";

/** Headers with credentials. */
export type Credentials = Record<string, string>;

export type ApiHub = Awaited<ReturnType<typeof openApiHub>>;

/** The paths of the OpenAPI document, which takes a quarter of a second to make. */
export const apiPaths = describeApi({ hubVersion: "", baseUrl: "" }).paths ?? {};

/** The documented paths with the pattern of each. A fixed path precedes one with parameters. */
const documentedPaths = Object.entries(apiPaths)
  .toSorted(([one], [other]) => one.split("{").length - other.split("{").length)
  .map(([template, item]) => {
    const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`);
    return { template, item, pattern };
  });

/** Fails the test if the OpenAPI document does not list this failure of the route. */
function checkDocumented(method: string, sent: string, status: number, code: unknown): void {
  const [path = ""] = sent.split("?", 1);
  const found = documentedPaths.find(({ pattern }) => pattern.test(path));
  const operation = Object(found?.item)[method.toLowerCase()];
  if (operation === undefined) return;
  const listed = `${operation.responses[status]?.description}`;
  if (listed.includes(`\`${code}\``)) return;
  throw new Error(
    `${method} ${found?.template} answered ${status} ${code}, which is not documented.`,
  );
}

/**
 * Starts a hub with a fixture connector in this process, for tests of its API: on a new data folder,
 * or on that of another hub.
 */
export async function openApiHub(env: Record<string, string> = {}) {
  await using opening = new AsyncDisposableStack();
  const dataDir = env.HUB_DATA_DIR ?? opening.use(await createDataFolder()).path;
  const catalog = join(dataDir, "catalog.json");
  await Bun.write(catalog, "[]");
  const settings: Record<string, string> = {
    HUB_DATA_DIR: dataDir,
    HUB_PORT: "0",
    HUB_LOG_LEVEL: "silent",
    HUB_PLUGIN_CATALOG: catalog,
    ...toDatabaseEnv(dataDir),
    ...env,
  };
  const { config } = loadConfig({ cwd: dataDir, env: settings });
  const log = createLog("silent");
  if (!settings.HUB_DATABASE_URL) await layDatabase(dataDir);
  const hub = await createHub({ config, kind: "serve", log, connectors: [apiFixture] });
  opening.defer(() => hub.close());
  const server = await hub.serve();
  const admin = actAs(hub.services, commandLineActor);
  const store = await openConfiguredStore({ config, log, isPatient: false });
  opening.defer(() => store.close());
  const owned = opening.move();
  const url = `http://127.0.0.1:${server.port}`;

  /** Adds a user and a token, then sets a status other than active. */
  async function addUser(
    email: string,
    given: {
      admin?: boolean;
      tags?: string[];
      status?: "pending" | "disabled";
      scope?: "mcp" | "manage";
    } = {},
  ) {
    const { admin: isAdmin = false, tags = [], status, scope = "manage" } = given;
    const user = await admin.users.add({ email, role: isAdmin ? "admin" : "user", tags });
    const { token, id: tokenId } = await admin.tokens.create({
      user: email,
      name: "test",
      scope,
    });
    if (status !== undefined) await updateUser(store.db, user.id, { status }, Date.now());
    const headers: Credentials = { authorization: `Bearer ${token}` };
    return { user, token, tokenId, headers };
  }

  return {
    url,
    dataDir,
    /** Calls the services as the command line does. */
    admin,
    hub,
    /** A second connection to the hub's database. */
    store,
    addUser,
    /** Creates a session for a user, without the sign-in page. */
    addSession: (userId: string) =>
      openSession(store, { userId, ipAddress: "192.0.2.7", userAgent: "Browser" }),
    /** Creates a session, and returns its cookie and CSRF token as headers. */
    async openBrowser(userId: string): Promise<Credentials> {
      const cookie = `hub_session=${(await this.addSession(userId)).token}`;
      const { body } = await this.request("GET", "/profile/api/me", { headers: { cookie } });
      return { cookie, "x-csrf-token": `${body.csrf_token}` };
    },
    /** Adds a user's grant for an application, without the consent page. Returns its id. */
    async addApplication(userId: string): Promise<string> {
      const id = crypto.randomUUID();
      await insertOAuthGrant(store.db, {
        id,
        userId,
        clientId: "desk",
        clientName: "Desk",
        redirectUri: "http://127.0.0.1:4000/callback",
        scope: "mcp",
        resource: `${url}/mcp`,
        createdAt: Date.now(),
        expiresAt: Date.now() + 3_600_000,
      });
      return id;
    },
    /** Adds another token for a user. */
    async addToken(email: string, scope: "mcp" | "manage"): Promise<Credentials> {
      const { token } = await admin.tokens.create({ user: email, name: scope, scope });
      return { authorization: `Bearer ${token}` };
    },
    /** Adds a token of a user that is bound to a row which does not exist, or to what is given. */
    async addBoundToken(
      userId: string,
      bounds: TokenBounds = { rows: [crypto.randomUUID()] },
    ): Promise<Credentials> {
      const { token } = await createToken(hub.services, commandLineActor, userId, {
        name: "bound",
        bounds,
      });
      return { authorization: `Bearer ${token}` };
    },
    /** Adds a service user with the tags and the role of its owner, and a token of it. */
    async addServiceToken({ id: owner, role, tags }: User): Promise<Credentials> {
      const name = `bot-${crypto.randomUUID()}`;
      const input = { name, owner, role, tags };
      const { id } = await addServiceUser(hub.services, commandLineActor, input);
      const { token } = await createServiceToken(hub.services, commandLineActor, id, {
        name: "ci",
      });
      return { authorization: `Bearer ${token}` };
    },
    /** Adds an application and its access token, which is valid at `/mcp`. */
    async addApplicationToken(userId: string): Promise<Credentials> {
      const grantId = await this.addApplication(userId);
      const token = `hub_oat_${randomBytes(16).toString("hex")}`;
      await insertOAuthAccessToken(store.db, {
        tokenHash: hashToken(token),
        grantId,
        userId,
        clientId: "desk",
        scope: "mcp",
        resource: `${url}/mcp`,
        createdAt: Date.now(),
        expiresAt: Date.now() + 3_600_000,
      });
      return { authorization: `Bearer ${token}` };
    },
    /** Adds a user's account at an identity provider. Returns its id. */
    async addIdentity(userId: string): Promise<string> {
      const id = crypto.randomUUID();
      const issuer = "https://id.example.com";
      const times = { createdAt: Date.now(), lastUsedAt: Date.now() };
      await insertIdentity(store.db, {
        id,
        userId,
        issuer,
        subject: id,
        email: "someone@example.com",
        ...times,
      });
      return id;
    },
    /** Adds a row of the fixture that is ready for calls. */
    addRow: (label: string, tags: string[] = []) =>
      admin.rows.add({
        connector: apiFixture.key,
        label,
        tags,
        values: { token: "s3cret-token-9fK2xQ7vLm4R" },
      }),
    /** Calls the fixture's `greet` as an MCP client does. Returns the id of its run. */
    async greet({ token, user }: { token: string; user: { id: string } }, rowId: string) {
      const params = { tool_id: `conn:${rowId}/greet`, params: { name: "Ada" } };
      const call = { name: "hub_execute", arguments: params };
      await fetch(`${url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: call }),
      });
      const [run] = await admin.runs.list({ row: rowId, limit: 1 });
      if (run?.user_id !== user.id) throw new Error("The call was not recorded.");
      return run.id;
    },
    /** Sends a request to the API, and parses the body of the answer. */
    async request(
      method: string,
      path: string,
      given: { headers?: Credentials; body?: unknown } = {},
      // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
    ): Promise<{ status: number; body: any; headers: Headers }> {
      const { body } = given;
      const response = await fetch(`${url}${path}`, {
        method,
        headers: {
          ...given.headers,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        redirect: "manual",
      });
      const text = await response.text();
      const isJson = /\bapplication\/json\b/.test(response.headers.get("content-type") ?? "");
      const answer = isJson ? JSON.parse(text) : text;
      if (!response.ok) checkDocumented(method, path, response.status, answer.code);
      return { status: response.status, body: answer, headers: response.headers };
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
