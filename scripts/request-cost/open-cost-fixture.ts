import { createKeyRing } from "../../packages/server/src/secrets/keys/key-ring.ts";
import { sealValue } from "../../packages/server/src/secrets/value-tokens/value-tokens.ts";
import { readKeyFile } from "../../packages/server/src/store/data-folder/key-file.ts";
import { createBrowser } from "../../test/support/browser.ts";
import { hostileShapes, startHostileHost } from "../../test/support/hostile-answers.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { type RunningHub, startHub } from "../../test/support/start-hub.ts";
import type { PathName } from "./cases/path-names.ts";
import { email, openPeople } from "./open-people.ts";
import type { PollRequest } from "./poll.ts";

/** A hub with an object for every path parameter, and tokens with access to them. */
export type CostFixture = AsyncDisposable & {
  hub: RunningHub;
  mcpToken: string;
  manageToken: string;
  toolId: string;
  /** Ids of objects that requests may change (`ids`) or delete (`spares`). */
  ids: Record<PathName, string>;
  spares: Record<PathName, string>;
  clientId: string;
  /** Opens the page of a form. Returns the form's address, headers with cookies, and CSRF token. */
  openForm(path: string): Promise<{ path: string; headers: Record<string, string>; csrf: string }>;
  answerShapes: readonly string[];
  /** The address of another client, as a trusted proxy tells it, so that no pace of an address is used up. */
  asAnotherClient(): { "x-forwarded-for": string };
  /** A value token of the user of `mcpToken`. */
  seal(text: string): string;
  /** The main file of the hub that is measured. */
  main: string;
  openapiRow: string;
  /** Disposes of it with the fixture. */
  own<Owned extends AsyncDisposable>(owned: Owned): Owned;
  /** A small call of a user who does not attack, sent again and again. */
  otherCall(pid: number): PollRequest;
  /** A request of the management API. Throws if it fails. */
  api(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
};

const secret = "row-secret-9fK2xQ7vLm4R";
const absent = "00000000-0000-4000-8000-000000000000";

/** Without people there are no sessions and applications, for which a hub must build its pages. */
export async function openCostFixture(main: string, hasPeople: boolean): Promise<CostFixture> {
  await using opening = new AsyncDisposableStack();
  const host = opening.use(startHostileHost(secret));
  const env = {
    HUB_TRUSTED_PROXIES: "127.0.0.1",
    HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
    HUB_WORKFLOW_BYTES_PER_DAY: "0",
    HUB_AUDIT_USER_BYTES_PER_DAY: "0",
    HUB_CHANGES_PER_DAY: "0",
    HUB_LOG_LEVEL: "error",
  };
  const hub = opening.use(await startHub({ main, env }));
  const base = `http://localhost:${hub.port}`;

  const addRow = async (label: string) => {
    const added = await hub.tryCli(
      [
        ...["row", "add", "http", "--label", label, "--set", `base_url=${host.url}`, "--json"],
        ...["--set", "auth_mode=bearer", "--secret-env", "token=TOKEN"],
      ],
      { env: { TOKEN: secret } },
    );
    return added.json<{ id: string }>().id;
  };
  const row = await addRow("Cost");
  // It lacks its tokens, so it is not connected.
  await hub.tryCli(["row", "add", "slack", "--label", "Cost chat", "--json"]);
  const manageToken = await makeToken(hub, "admin@localhost");
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${manageToken}` };
    return Object(await (await fetch(`${hub.url}${path}`, { headers })).json());
  };
  const api: CostFixture["api"] = async (method, path, body) => {
    const headers = {
      authorization: `Bearer ${manageToken}`,
      "content-type": "application/json",
    };
    const request = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
    const response = await fetch(`${hub.url}${path}`, request);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? {} : Object(JSON.parse(text));
  };
  /** Adds a workflow with a version. */
  const addWorkflow = async (name: string): Promise<string> => {
    const body = {
      triggers: [{ id: "start", type: "manual", entry: "one" }],
      nodes: [{ id: "one", type: "set", value: "x" }],
    };
    const { id } = await api("POST", "/manager/api/workflows", { name, body });
    await api("POST", `/manager/api/workflows/${id}/publish`, { revision: 1 });
    return String(id);
  };
  const findId = async (path: string, list: string, at = 0): Promise<string> => {
    const found: Array<{ id: string }> = (await get(path))[list] ?? [];
    return found[at]?.id ?? reportMissing(list);
  };

  const mcpToken = hub.adminToken();
  const args = { tool_id: `conn:${row}/get`, params: { path: "/plain_text/1000" } };
  await (await postRpc(hub.url, mcpToken, toToolCall("hub_execute", args))).text();

  await hub.cli("user", "add", email);
  const people = hasPeople ? await openPeople(hub, base) : null;
  const users = (await get("/admin/api/users")).users as Array<{ id: string; email: string }>;
  const user = users.find((one) => one.email === email)?.id ?? reportMissing("user");
  const clientId = people?.clientId ?? absent;
  const application = await findId("/admin/api/applications", "applications");

  const ids = {
    row,
    field: "base_url",
    operation: "get",
    input: "path",
    run: await findId("/manager/api/runs", "runs"),
    user,
    identity: absent,
    factor: absent,
    token: await findId("/admin/api/tokens", "tokens"),
    session: await findId("/admin/api/sessions", "sessions"),
    application,
    setting: "result_bytes_max",
    key: "http",
    workflow: await addWorkflow("Cost"),
    version: "1",
    secret: "KEY",
    channel: "cost-chat",
    account: absent,
    link: absent,
    approval: absent,
    node: absent,
    rule: absent,
    call: absent,
    permit: absent,
    client: absent,
    issuer: absent,
    source: absent,
    reference: absent,
  };
  await makeToken(hub, email);
  const spares = {
    ...ids,
    row: await addRow("Spare"),
    token: await findId(`/admin/api/tokens?user=${user}`, "tokens"),
    session: await findId(`/admin/api/sessions?user=${user}`, "sessions", 1),
    key: "absent",
    workflow: await addWorkflow("Spare"),
  };
  const ring = createKeyRing((await readKeyFile(hub.dataDir)) ?? []);
  const admin = users.find((one) => one.email === "admin@localhost")?.id ?? reportMissing("admin");
  const { token: otherToken } = await hub.addUser("other@localhost");
  const { id: openapiRow } = await api("POST", "/manager/api/rows", {
    connector: "openapi",
    label: "Cost API",
    values: { document_url: `${host.url}/plain_text/10`, base_url: host.url },
  });
  let clients = 0;
  const owned = opening.move();
  return {
    hub,
    mcpToken,
    manageToken,
    toolId: `conn:${row}/get`,
    ids,
    spares,
    clientId,
    async openForm(path) {
      const isSignedIn = path !== "/auth/login";
      if (people === null) throw new Error("The fixture has been opened without people.");
      const visitor = isSignedIn ? people.browser : createBrowser();
      const page = await visitor.open(`${base}${isSignedIn ? "/profile" : path}`);
      const inputs = page.forms.flatMap((form) => form.inputs);
      const csrf = inputs.find(({ name }) => name === "csrf")?.value ?? "";
      const cookie = visitor.cookieHeader(page.url);
      const headers = {
        "content-type": "application/x-www-form-urlencoded",
        "sec-fetch-site": "same-origin",
        origin: base,
        host: new URL(base).host,
        cookie,
      };
      const filled = path
        .replace(/^.*:uid$/, people.consentPath)
        .replace("applications/:id", `applications/${application}`)
        .replace("sessions/:id", `sessions/${spares.session}`)
        .replace("tokens/:id", `tokens/${spares.token}`);
      return { path: filled, headers, csrf };
    },
    answerShapes: Object.keys(hostileShapes),
    api,
    main,
    openapiRow: String(openapiRow),
    own: (one) => owned.use(one),
    otherCall(pid) {
      const headers = {
        "content-type": "application/json",
        accept: "application/json",
        authorization: `Bearer ${otherToken}`,
      };
      const body = JSON.stringify(toToolCall("hub_info", {}));
      return { url: `${hub.url}/mcp`, init: { method: "POST", headers, body }, pid, pauseMs: 25 };
    },
    asAnotherClient() {
      clients += 1;
      // Of the network for benchmarks, 198.18.0.0/15.
      return { "x-forwarded-for": `198.18.${clients & 255}.${(clients >> 8) & 255}` };
    },
    seal: (text) => sealValue(ring, { userId: admin, rowId: null }, text),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Prints that an older hub has no such object. Returns the id of an absent one. */
function reportMissing(what: string): string {
  console.log(`(there are no ${what}: an absent id is used)`);
  return absent;
}

/** Creates a token for the management API. A hub without scopes has no flag for it. */
async function makeToken(hub: RunningHub, user: string): Promise<string> {
  const args = ["token", "create", "--user", user, "--name", "cost", "--json"];
  const scoped = await hub.tryCli([...args, "--scope", "manage"]);
  const made = scoped.exitCode === 0 ? scoped : await hub.tryCli(args);
  return made.json<{ token: string }>().token;
}
