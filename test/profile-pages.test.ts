/** The profile pages in a browser without scripts. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { createPageBrowser, type PageBrowser } from "./support/page-browser.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const password = "a long enough pass phrase";
let hub: RunningHub;
let ada: PageBrowser;
let ben: PageBrowser;

beforeAll(async () => {
  hub = await startHub({ isHere: true, hasCheapPasswords: true });
  ada = await signUp("ada@example.com");
  ben = await signUp("ben@example.com");
});
afterAll(() => hub[Symbol.asyncDispose]());

/**
 * Reads a link as the two editors document it: Cursor's has the name and, in base64, the transport of its
 * mcp.json (cursor.com/docs/mcp/install-links); that of VS Code has the percent-encoded JSON of
 * `code --add-mcp` as its whole query (VS Code's MCP developer guide).
 */
function readInstallLink(href: string) {
  const at = href.indexOf("?");
  const [opens, query] = [href.slice(0, at), href.slice(at + 1)];
  if (opens.startsWith("cursor:")) {
    const params = Object.fromEntries(
      query.split("&").map((pair) => pair.split("=").map(decodeURIComponent)),
    );
    return { opens, name: params.name, config: JSON.parse(atob(params.config)) };
  }
  const { name, ...config } = JSON.parse(decodeURIComponent(query));
  return { opens, name, config };
}

/** Adds a user who has replaced their one-time password, in a signed-in browser. */
async function signUp(email: string): Promise<PageBrowser> {
  await hub.cli("user", "add", email, "--tag", "red");
  const made = await hub.cli("user", "password", email, "--json");
  const once = made.json<{ one_time_password: string }>().one_time_password;
  const browser = createPageBrowser(hub.url);
  await browser.go("/profile");
  await browser.submit("/auth/login", { email, password: once });
  await browser.submit("/auth/password", {
    current: once,
    new_password: password,
    repeated: password,
  });
  expect(browser.path()).toBe("/profile");
  return browser;
}

const tokenPattern = /hub_pat_[0-9a-f]{32}/;

describe("The page of tokens", () => {
  test("The tokens page shows a new token once, and the token works until it is revoked", async () => {
    await ada.go("/profile/tokens");
    await ada.submit("/profile/tokens", { name: "laptop", expires_in_days: "30" });
    const token = tokenPattern.exec(ada.html())?.[0] ?? "";
    const list = () =>
      fetch(`${hub.url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    expect((await list()).status).toBe(200);
    expect(ada.html()).toContain(`…${token.slice(-4)}`);
    await ada.go("/profile/tokens");
    expect(ada.html()).not.toMatch(tokenPattern);

    const revoke = /\/profile\/tokens\/[\w-]+\/revoke/.exec(ada.html())?.[0] ?? "";
    // Ben cannot revoke another user's token.
    await ben.go("/profile/tokens");
    expect((await ben.submit(revoke, {})).status).toBe(404);
    expect((await list()).status).toBe(200);
    await ada.submit(revoke, {});
    expect((await list()).status).toBe(401);
    expect(ada.html()).not.toContain(`…${token.slice(-4)}`);
  });

  test("The tokens page creates tokens for MCP, and for the management API only if it is selected", async () => {
    const tokenOf = async (fields: object) => {
      await ada.go("/profile/tokens");
      await ada.submit("/profile/tokens", { name: "scoped", expires_in_days: "30", ...fields });
      return tokenPattern.exec(ada.html())?.[0] ?? "";
    };
    const requestApi = (token: string) =>
      fetch(`${hub.url}/profile/api/me`, { headers: { authorization: `Bearer ${token}` } });
    const refused = await requestApi(await tokenOf({ scope: "mcp" }));
    expect([refused.status, await refused.json()]).toEqual([
      403,
      { code: "insufficient_scope", error: expect.stringContaining("/profile/tokens") },
    ]);
    expect((await requestApi(await tokenOf({}))).status).toBe(403);
    expect((await requestApi(await tokenOf({ scope: "manage" }))).status).toBe(200);
    expect(ada.html()).toContain("MCP and API");
  });

  nightlyTest(
    "The tokens page allows 50 active tokens, and another one after a revocation",
    async () => {
      const eve = await signUp("many@example.com");
      await eve.go("/profile/tokens");
      const make = () => eve.submit("/profile/tokens", { name: "many", expires_in_days: "30" });
      for (let count = 0; count < 50; count += 1) await make();
      expect((await make()).status).toBe(422);
      expect(eve.html()).toContain("has 50 active tokens");
      const revoke = /\/profile\/tokens\/[\w-]+\/revoke/.exec(eve.html())?.[0] ?? "";
      await eve.submit(revoke, {});
      expect((await make()).status).toBe(200);
    },
  );

  test("A token is rotated in one step, and the old one ends at once or after the overlap", async () => {
    const callMcp = (token: string) =>
      fetch(`${hub.url}/mcp`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
      });
    const shown = () => tokenPattern.exec(ada.html())?.[0] ?? "";
    const statuses = async (...tokens: string[]) =>
      (await Promise.all(tokens.map(callMcp))).map(({ status }) => status);
    const findPath = () => {
      const lines = ada.html().split("<tr>");
      const line = lines.findLast((one) => one.includes(">rotated<")) ?? "";
      return /\/profile\/tokens\/[\w-]+\/rotate/.exec(line)?.[0] ?? "";
    };
    await ada.go("/profile/tokens");
    await ada.submit("/profile/tokens", { name: "rotated", expires_in_days: "30" });
    const first = shown();
    const path = findPath();
    await ben.go("/profile/tokens");
    expect((await ben.submit(path, { overlap_hours: "0" })).status).toBe(404);
    await ada.submit(path, { overlap_hours: "24" });
    const second = shown();
    expect(second).not.toBe(first);
    expect(await statuses(first, second)).toEqual([200, 200]);
    await ada.submit(findPath(), { overlap_hours: "0" });
    const third = shown();
    expect(await statuses(first, second, third)).toEqual([200, 401, 200]);
    const again = await ada.submit(path.replace("rotate", "revoke"), {});
    expect(again.status).toBe(200);
    const late = await ada.submit(path, { overlap_hours: "0" });
    expect([late.status, ada.html()]).toEqual([422, expect.stringContaining("is revoked")]);
    await ada.go("/profile/tokens");
    expect(ada.html()).not.toMatch(tokenPattern);
  });

  test("The tokens page shows the problem of a name beside its field", async () => {
    await ada.go("/profile/tokens");
    const response = await ada.submit("/profile/tokens", { name: " ", expires_in_days: "" });
    expect(response.status).toBe(422);
    expect(ada.html()).toMatch(/id="name-error"[^>]*>[^<]*must not be empty/);
  });
});

describe("The encrypt and decrypt pages", () => {
  test("A value token is decrypted only for its user, and its value is escaped", async () => {
    const secret = 'p"ss <b>&amp;\nsecond line';
    await ada.go("/tools/encfields");
    await ada.submit("/tools/encfields", { value: secret });
    const token = /hub_enc_[\w-]+/.exec(ada.html())?.[0] ?? "";
    expect(ada.html()).not.toContain("second line");

    await ada.go("/tools/encfields/decrypt");
    await ada.submit("/tools/encfields/decrypt", { value: `Bearer ${token}` });
    expect(ada.html()).toContain(
      "Bearer p&quot;ss &lt;b&gt;&amp;amp;\nsecond line".replaceAll("&quot;", "&quot;"),
    );
    await ben.go("/tools/encfields/decrypt");
    const refused = await ben.submit("/tools/encfields/decrypt", { value: token });
    expect(refused.status).toBe(422);
    expect(ben.html()).not.toContain("second line");
  });

  test("The decrypt page says when a text has no value token", async () => {
    await ada.go("/tools/encfields/decrypt");
    const response = await ada.submit("/tools/encfields/decrypt", { value: "no token here" });
    expect([
      response.status,
      ada.html().includes("There is no hub_enc_ token in this text."),
    ]).toEqual([422, true]);
  });
});

describe("The profile page", () => {
  test("The profile page ends one or all other sessions of the user, but not of other users", async () => {
    const others = [createPageBrowser(hub.url), createPageBrowser(hub.url)];
    for (const other of others) {
      await other.go("/auth/login?next=%2Fprofile");
      await other.submit("/auth/login", { email: "ada@example.com", password });
      expect(other.path()).toBe("/profile");
    }
    await ada.go("/profile");
    const end = /\/profile\/sessions\/[0-9a-f-]{36}\/end/.exec(ada.html())?.[0] ?? "";
    await ben.go("/profile");
    expect((await ben.submit(end, {})).status).toBe(404);
    await ada.submit(end, {});
    const readPaths = async () => {
      const paths = [];
      for (const other of others) {
        await other.go("/profile");
        paths.push(other.path());
      }
      return paths.toSorted();
    };
    expect(await readPaths()).toEqual(["/auth/login", "/profile"]);
    await ada.go("/profile");
    expect(ada.html()).toContain("/profile/sessions/end-others");
    await ada.submit("/profile/sessions/end-others", {});
    expect(await readPaths()).toEqual(["/auth/login", "/auth/login"]);
    await ada.go("/profile");
    expect(ada.html()).not.toContain("/profile/sessions/end-others");
    expect(ada.path()).toBe("/profile");
  });

  test("The profile page shows single sign-on only if the user has identities", async () => {
    await ben.go("/profile");
    expect(ben.html()).toContain("<dt>Role</dt>");
    expect(ben.html()).not.toContain("<dt>Single sign-on</dt>");
  });

  test("The MCP page shows the address and four configuration snippets", async () => {
    await ada.go("/profile/mcp");
    expect(ada.html()).toContain(`/mcp</pre>`);
    const clients = [...ada.html().matchAll(/<section class="card"><h2>([^<]*)/g)].map(
      ([, name]) => name,
    );
    expect(clients).toEqual(["Claude Code", "Cursor", "Gemini CLI", "Codex"]);
  });

  test("The MCP page has a tab for each further client, and links that open two of them", async () => {
    await ada.go("/profile/mcp");
    expect(ada.html()).toContain("&quot;servers&quot;");
    const scripts = countScripts(ada.html());
    const hrefs = [...ada.html().matchAll(/href="((?:cursor|vscode):[^"]*)"/g)].map(([, href]) =>
      (href ?? "").replaceAll("&amp;", "&"),
    );
    const url = `http://localhost:${hub.port}/mcp`;
    expect(hrefs.map(readInstallLink)).toEqual([
      { opens: "cursor://anysphere.cursor-deeplink/mcp/install", name: "hub", config: { url } },
      { opens: "vscode:mcp/install", name: "hub", config: { type: "http", url } },
    ]);
    await ada.go("/profile/mcp?client=zed");
    expect(ada.html()).toContain("context_servers");
    await ada.go("/profile/mcp?client=%3Cscript%3E");
    expect(ada.html()).toContain("&quot;servers&quot;");
    expect(countScripts(ada.html())).toBe(scripts);
  });

  test("A disabled user cannot open the profile page", async () => {
    const eve = await signUp("eve@example.com");
    await hub.cli("user", "disable", "eve@example.com");
    await eve.go("/profile");
    expect(eve.path()).toBe("/auth/login");
  });
});

const countScripts = (html: string) => html.match(/<script/g)?.length ?? 0;
