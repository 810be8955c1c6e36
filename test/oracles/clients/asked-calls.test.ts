/**
 * Protects: a released client tells its model of a call that waits for a person, with the page's address and the words that
 * lead there, and the model's repeat after the approval runs the call once and gets its result.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { type ApiHub, type Credentials, openApiHub } from "../../api/open-api-hub.ts";
import { createDataFolder } from "../../support/data-folder.ts";
import { hubMain, runCli } from "../../support/run-cli.ts";
import { claudeCode, isClaudeCodeAvailable } from "./claude-code.ts";
import { codex, isCodexAvailable } from "./codex.ts";
import { geminiCli, isGeminiCliAvailable } from "./gemini-cli.ts";
import { startStubModel } from "./models/stub-model.ts";
import { isOpencodeAvailable, opencode } from "./opencode.ts";

setDefaultTimeout(300_000);

const callsPath = "/manager/api/pending-calls";

/** What the row leads to: it counts what has run. */
const paid: string[] = [];
const outside = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    const { pathname } = new URL(req.url);
    paid.push(pathname);
    return Response.json({ receipt: `receipt of ${pathname}` });
  },
});

const owned = new AsyncDisposableStack();
owned.defer(() => outside.stop(true));
const env = { HUB_OUTBOUND_ALLOW: `127.0.0.1:${outside.port}` };
let hub: ApiHub;
let row: string;
let ada: Awaited<ReturnType<ApiHub["addUser"]>>;
let adaBrowser: Credentials;
let adminBrowser: Credentials;

beforeAll(async () => {
  hub = owned.use(await openApiHub(env));
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  adaBrowser = await hub.openBrowser(ada.user.id);
  const admin = await hub.addUser("grace@example.com", { admin: true });
  adminBrowser = await hub.openBrowser(admin.user.id);
  const added = await hub.admin.rows.add({
    connector: "http",
    label: "Payments",
    tags: ["red"],
    values: { base_url: `http://127.0.0.1:${outside.port}` },
  });
  row = added.id;
  await setRule(hub.hub.services, commandLineActor, row, { asks: "always" });
});
afterAll(() => owned.disposeAsync());

/** The page that the model was told, with the id and the words that lead there. Null if it was told none. */
function readPage(told: string): { id: string } | null {
  const page = /The page: http:\/\/localhost:\d+\/approvals\/calls\/(\w+)/.exec(told);
  if (page === null) return null;
  const [, id = ""] = page;
  expect(told).toMatch(new RegExp(`"pending_id[\\\\":]+${id}`));
  expect(told).toContain("approval_required");
  expect(told).toContain("Tell the user, and after the approval make this call again");
  return { id };
}

/** Decides as a person who opens the page. */
async function approve(id: string, browser: Credentials): Promise<void> {
  const shown = await hub.request("GET", `${callsPath}/${id}`, { headers: browser });
  const { status } = await hub.request("POST", `${callsPath}/${id}/decision`, {
    headers: browser,
    body: { decision: "approved", hash: shown.body.hash },
  });
  expect(status).toBe(200);
}

/** A model that calls, has its user approve once it was told of the page, and then repeats the call in both ways. */
function toTurn(
  call: Record<string, unknown>,
  browser: Credentials,
  record: (texts: string[]) => void,
) {
  let id: string | null = null;
  let repeats = 0;
  return async (results: readonly string[]) => {
    record([...results]);
    const page = id === null ? readPage(results.at(-1) ?? "") : null;
    if (page !== null) {
      id = page.id;
      await approve(id, browser);
    } else if (id === null && results.length > 1) {
      // Told nothing twice.
      return [];
    }
    if (id !== null) repeats += 1;
    if (repeats > 2) return [];
    return [
      { name: "hub_execute", input: id !== null && repeats === 2 ? { pending_id: id } : call },
    ];
  };
}

describe.each([
  ["Claude Code", claudeCode, isClaudeCodeAvailable],
  ["Codex", codex, isCodexAvailable],
  ["Gemini CLI", geminiCli, isGeminiCliAvailable],
  ["opencode", opencode, isOpencodeAvailable],
] as const)("%s", (name, client, isAvailable) => {
  /** A home folder with the client's file, to which the hub is added. */
  async function install(...args: string[]): Promise<string> {
    const home = owned.use(await createDataFolder()).path;
    const file = join(home, client.file);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, client.content);
    const options = { main: hubMain, dataDir: hub.dataDir, env: { ...env, HOME: home } };
    const result = await runCli(options, ["mcp", "install", "--client", client.target, ...args]);
    expect({ ...result, exitCode: 0 }).toEqual(result);
    return home;
  }

  const doors = [
    ["HTTP", ["--http", "--user", "ada@example.com"], () => adaBrowser],
    // As the local admin, for whom any admin decides.
    ["stdio", ["--mode", "dev"], () => adminBrowser],
  ] as const;
  test.skipIf(!isAvailable).each(doors)(
    "Over %s, the model is led to the page, and its repeats run the approved call once",
    async (door, args, toBrowser) => {
      const home = await install(...args);
      const path = `/${door}/${client.target}`;
      let texts: string[] = [];
      const paidBefore: number[] = [];
      const turn = toTurn({ tool_id: `conn:${row}/get`, params: { path } }, toBrowser(), (read) => {
        texts = read;
        paidBefore.push(paid.filter((one) => one === path).length);
      });
      await using model = startStubModel(client.model, turn);
      const ended = await client.run(home, model.url);
      expect({ failures: model.failures, ended }).toEqual({ failures: [], ended });
      // Without a person, Claude Code opens no page, and says just that. In the session mode, which it uses over stdio, it
      // says so by itself, and the address is in the answer to the repeat.
      const [unopened, ...told] =
        name === "Claude Code" && door === "stdio" ? texts : ["", ...texts];
      if (unopened !== "") {
        expect(unopened).toContain("requires the user to open a URL");
        expect(paidBefore.shift()).toBe(0);
      }
      expect(told.map((text) => text.includes(`receipt of ${path}`))).toEqual([false, true, true]);
      expect(paidBefore).toEqual([0, 0, 1, 1]);
    },
  );
});
