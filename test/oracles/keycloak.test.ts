/**
 * Groups, sessions and logouts of a real Keycloak, which pushes neither changed groups nor disabled users. Skipped with its reason
 * where there is no Java. Prints how long each refusal took.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Browser, createBrowser } from "../support/browser.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { findKeycloakObstacle, type Keycloak, startKeycloak } from "./support/keycloak.ts";

setDefaultTimeout(600_000);

const obstacle = findKeycloakObstacle();
if (obstacle !== null) {
  console.warn(`Skipped: single sign-on at a real Keycloak, because ${obstacle}.`);
  test.skip("Keycloak", () => {});
} else {
  describeKeycloak();
}

function describeKeycloak() {
  const owned = new AsyncDisposableStack();
  const password = "a password of a test";
  let keycloak: Keycloak;
  let hub: RunningHub;
  let dataDir: string;
  let base: string;
  let env: Record<string, string>;
  let mapper: { id: string; client: string; config: Record<string, string> };
  const groups: Record<string, string> = {};

  beforeAll(async () => {
    keycloak = owned.use(await startKeycloak());
    const port = await findFreePort();
    base = `http://127.0.0.1:${port}`;
    mapper = await addClient();
    for (const name of ["staff", "contractors", "eng"]) {
      groups[name] = (await keycloak.manage("POST", "/groups", { name })).id;
    }
    const child = await keycloak.manage("POST", `/groups/${groups.eng}/children`, {
      name: "backend",
    });
    groups.backend = child.id;
    dataDir = owned.use(await createDataFolder()).path;
    env = {
      HUB_PORT: String(port),
      HUB_BASE_URL: base,
      HUB_OIDC_ISSUER: keycloak.issuer,
      HUB_OIDC_CLIENT_ID: "hub",
      HUB_OIDC_CLIENT_SECRET: "s3cret",
      HUB_OIDC_NEW_USERS: "active",
      HUB_SSO_SCOPES: "offline_access",
      HUB_SSO_GROUPS_CLAIM: "groups",
      HUB_SSO_REQUIRED_GROUP: "/staff",
    };
    hub = await startHub({ dataDir, env });
    await hub.cli("group", "set", "/eng/backend", "--tag", "backend");
    await hub.cli("group", "set", "/eng/*", "--tag-start", "team-");
    await hub.cli("group", "set", "backend", "--tag", "short");
    await hub.cli("group", "set", "/contractors", "--role", "none");
  });

  afterAll(async () => {
    await hub?.stop();
    await owned.disposeAsync();
  });

  /** A client with the mapper of groups, which sends whole paths as the console's default does. */
  async function addClient() {
    const { id: client } = await keycloak.manage("POST", "/clients", {
      clientId: "hub",
      secret: "s3cret",
      redirectUris: [`${base}/auth/sso/callback`],
      attributes: {
        "backchannel.logout.url": `${base}/auth/sso/logout`,
        "backchannel.logout.session.required": "true",
      },
    });
    const config = {
      "claim.name": "groups",
      "full.path": "true",
      "id.token.claim": "true",
      "userinfo.token.claim": "true",
    };
    const path = `/clients/${client}/protocol-mappers/models`;
    const { id } = await keycloak.manage("POST", path, {
      name: "groups",
      protocol: "openid-connect",
      protocolMapper: "oidc-group-membership-mapper",
      config,
    });
    return { id, client, config };
  }

  async function addPerson(name: string, paths: string[]) {
    const { id } = await keycloak.manage("POST", "/users", {
      username: name,
      email: `${name}@example.com`,
      emailVerified: true,
      firstName: name,
      lastName: "Example",
      enabled: true,
      groups: paths,
      credentials: [{ type: "password", value: password }],
    });
    return { id, name, email: `${name}@example.com` };
  }

  async function signIn(name: string): Promise<{ browser: Browser; path: string; text: string }> {
    const browser = createBrowser();
    const form = await browser.open(`${base}/auth/sso?next=%2Fprofile`);
    const { url, text } = await browser.submit(form, { username: name, password });
    return { browser, path: new URL(url).pathname, text };
  }

  const leave = (person: { id: string }, group: string) =>
    keycloak.manage("DELETE", `/users/${person.id}/groups/${groups[group]}`);
  const join = (person: { id: string }, group: string) =>
    keycloak.manage("PUT", `/users/${person.id}/groups/${groups[group]}`);

  async function readUser(email: string) {
    const users = (await hub.cli("user", "list", "--json")).json<
      Array<{ email: string; status: string; tags: string[]; role: string }>
    >();
    return users.find((user) => user.email === email);
  }

  /** Calls with a token: the status, and what a refusal says. */
  async function call(token: string) {
    const answer = await fetch(`${base}/profile/api/me`, {
      headers: { authorization: `Bearer ${token}` },
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** Makes the hub know the user from long before: another process, and a refresh eleven minutes ago. */
  async function passTime() {
    await hub.stop();
    const past = Date.now() - 660_000;
    queryDatabase(dataDir, `update provider_sessions set read_at = ${past}, next_at = ${past}`);
    hub = await startHub({ dataDir, env });
  }

  async function measure(what: string, isDone: () => Promise<boolean>): Promise<number> {
    const from = performance.now();
    await waitFor(isDone);
    const seconds = (performance.now() - from) / 1000;
    console.log(`${what}: ${seconds.toFixed(1)} s`);
    return seconds;
  }

  test("Groups with paths, nested groups and names give the tags of their lines", async () => {
    await addPerson("grace", ["/staff", "/eng/backend"]);
    expect((await signIn("grace")).path).toBe("/profile");
    expect((await readUser("grace@example.com"))?.tags).toEqual(["backend", "team-backend"]);
    const path = `/clients/${mapper.client}/protocol-mappers/models/${mapper.id}`;
    const change = (fullPath: string) =>
      keycloak.manage("PUT", path, {
        id: mapper.id,
        name: "groups",
        protocol: "openid-connect",
        protocolMapper: "oidc-group-membership-mapper",
        config: { ...mapper.config, "full.path": fullPath },
      });
    await change("false");
    // The required group is /staff, and its name without the path is another one.
    const refused = await signIn("grace");
    expect(refused.text).toContain("for members of a group of your organization");
    expect(await readUser("grace@example.com")).toMatchObject({
      status: "disabled",
      tags: ["short"],
    });
    await change("true");
    expect((await signIn("grace")).path).toBe("/profile");
    expect(await readUser("grace@example.com")).toMatchObject({ status: "active" });
  });

  test("A person outside the required group, or in one that is refused, becomes no user", async () => {
    await addPerson("eve", ["/eng/backend"]);
    expect((await signIn("eve")).text).toContain("does not name it for you");
    await addPerson("mallory", ["/staff", "/contractors"]);
    expect((await signIn("mallory")).text).toContain("has no access to this hub");
    expect(await readUser("eve@example.com")).toBeUndefined();
    expect(await readUser("mallory@example.com")).toBeUndefined();
  });

  test("A user who leaves a group while calling is refused within a minute, without a sign-in", async () => {
    const ada = await addPerson("ada", ["/staff", "/eng/backend"]);
    const { browser } = await signIn("ada");
    const token = await hub.makeManageToken(ada.email);
    expect((await call(token)).status).toBe(200);
    await leave(ada, "backend");
    await measure("out of a group, tags gone", async () => {
      await call(token);
      return (await readUser(ada.email))?.tags.length === 0;
    });
    await leave(ada, "staff");
    await measure(
      "out of the required group, refused",
      async () => (await call(token)).status === 401,
    );
    expect(await readUser(ada.email)).toMatchObject({ status: "disabled" });
    expect((await browser.open(`${base}/profile`)).url).toContain("/auth/login");
    await join(ada, "staff");
    expect((await signIn("ada")).path).toBe("/profile");
    expect((await call(token)).status).toBe(200);
  });

  test("The first call after a longer pause waits for the provider, and is refused", async () => {
    const bob = await addPerson("bob", ["/staff"]);
    await signIn("bob");
    const token = await hub.makeManageToken(bob.email);
    expect((await call(token)).status).toBe(200);
    await leave(bob, "staff");
    await passTime();
    expect((await call(token)).status).toBe(401);
  });

  test.each([
    "disabled",
    "deleted",
  ])("A user who was %s at the provider is refused by the first call, with their sessions", async (how) => {
    const person = await addPerson(`gone-${how}`, ["/staff"]);
    const { browser } = await signIn(person.name);
    const token = await hub.makeManageToken(person.email);
    expect((await call(token)).status).toBe(200);
    if (how === "deleted") await keycloak.manage("DELETE", `/users/${person.id}`);
    else await keycloak.manage("PUT", `/users/${person.id}`, { enabled: false });
    await passTime();
    const { status, text } = await call(token);
    expect(status).toBe(401);
    expect(text).toContain("Your sign-in at single sign-on has ended");
    expect((await browser.open(`${base}/profile`)).url).toContain("/auth/login");
    // The user of the hub stays, with what they own.
    expect(await readUser(person.email)).toMatchObject({ status: "active" });
    if (how === "deleted") return;
    await keycloak.manage("PUT", `/users/${person.id}`, { enabled: true });
    expect((await signIn(person.name)).path).toBe("/profile");
    expect((await call(token)).status).toBe(200);
  });

  test("A logout at the provider ends the sessions of the user at once", async () => {
    const lin = await addPerson("lin", ["/staff"]);
    const { browser } = await signIn("lin");
    expect((await browser.open(`${base}/profile`)).url).toBe(`${base}/profile`);
    await keycloak.manage("POST", `/users/${lin.id}/logout`);
    await measure("logged out, session over", async () =>
      (await browser.open(`${base}/profile`)).url.includes("/auth/login"),
    );
  });

  test("What was known holds while the provider is away", async () => {
    const kim = await addPerson("kim", ["/staff"]);
    await signIn("kim");
    const token = await hub.makeManageToken(kim.email);
    await hub.stop();
    const past = Date.now() - 660_000;
    queryDatabase(dataDir, `update provider_sessions set read_at = ${past}, next_at = ${past}`);
    hub = await startHub({ dataDir, env: { ...env, HUB_OIDC_CLIENT_SECRET: "wrong" } });
    expect((await call(token)).status).toBe(200);
    const longAgo = Date.now() - 3_700_000;
    queryDatabase(
      dataDir,
      `update provider_sessions set failed_since = ${longAgo}, next_at = ${past}`,
    );
    await hub.stop();
    hub = await startHub({ dataDir, env: { ...env, HUB_OIDC_CLIENT_SECRET: "wrong" } });
    const { status, text } = await call(token);
    expect(status).toBe(401);
    expect(text).toContain("has not confirmed your account for too long");
    await hub.stop();
    hub = await startHub({ dataDir, env });
    await waitFor(async () => (await call(token)).status === 200);
  });
}
