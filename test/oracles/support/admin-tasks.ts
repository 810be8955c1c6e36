import createClient, { type Client, type Middleware } from "openapi-fetch";
// openapi-typescript generates this file from the served document; see management-client.test.ts.
import type { components, paths } from "./management-api.generated.ts";

type Schemas = components["schemas"];

/** The servers and credentials of the scenario. */
export type AdminScenario = {
  /** The hub behind a proxy that checks every answer against the document. */
  url: string;
  /** The hub without the proxy, which buffers streams. */
  directUrl: string;
  adminToken: string;
  codehost: { url: string; token: string };
  logs: { url: string; username: string; password: string };
  /** Creates a personal access token for a user. */
  makeToken(email: string): Promise<string>;
  /** Adds the next version of the plugin `tracker` to the catalog. */
  publishNext(): Promise<void>;
};

/** The results of the scenario. */
export type AdminReport = {
  phases: { install: string[]; update: string[] };
  login: unknown;
  found: unknown;
  rowsOfUser: string[];
  history: { source: string; status: string; parent: string | null }[];
  afterDisable: { disabled: boolean; operationEnabled: boolean };
  updated: Pick<Schemas["PluginUpdate"], "version" | "previous_version" | "updated">;
  actions: string[];
  countedRuns: number;
  /** The answers that do not match the document, as the proxy reports them. */
  violations: string[];
  /** All answers, to search them for secrets. */
  transcript: string;
};

/** Typical tasks of an admin, by a client that is generated from the OpenAPI document. */
export async function runAdminTasks(scenario: AdminScenario): Promise<AdminReport> {
  const violations: string[] = [];
  const answers: string[] = [];
  const watch: Middleware = {
    async onResponse({ request, response }) {
      const broken = response.headers.get("sl-violations");
      if (broken !== null) violations.push(`${request.method} ${request.url}: ${broken}`);
      answers.push(await response.clone().text());
    },
  };
  const admin = openClient(scenario.url, scenario.adminToken, watch);
  const install = await installPlugin(scenario, { source: "tracker" });
  for (const source of ["codehost", "logs"]) {
    requireData(await admin.POST("/manager/api/plugins/install", { body: { source } }));
  }

  const email = "grace@example.com";
  const added = requireData(
    await admin.POST("/admin/api/users", { body: { email, tags: ["developers"] } }),
  );
  const tags = requireData(await admin.GET("/admin/api/tags")).tags;
  if (tags.find(({ name }) => name === "developers")?.users !== 1)
    throw new Error("The tag is missing.");

  const { row, login } = await addCodehost(admin, scenario);
  const found = await setUpLogs(admin, scenario);

  const user = openClient(scenario.url, await scenario.makeToken(email), watch);
  const seen = requireData(await user.GET("/manager/api/rows")).rows;
  if (requireData(await user.GET("/profile/api/me")).user.id !== added.id)
    throw new Error("The user differs.");

  const history = await retryFirst(admin, row);
  const afterDisable = await switchOff(admin, row);
  await scenario.publishNext();
  const update = await updatePlugin(scenario, "tracker");
  const { changes } = requireData(await admin.GET("/admin/api/changes", { params: { query: {} } }));
  const summary = requireData(
    await admin.GET("/manager/api/runs/summary", { params: { query: {} } }),
  );
  return {
    phases: { install: install.phases, update: update.phases },
    login,
    found,
    rowsOfUser: seen.map(({ label }) => label).toSorted(),
    history,
    afterDisable,
    updated: update.result,
    actions: changes.map(({ action }) => action).toReversed(),
    countedRuns: summary.running,
    violations,
    transcript: answers.join("\n"),
  };
}

type Api = Client<paths>;

function openClient(baseUrl: string, token: string, watch?: Middleware): Api {
  const client = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${token}` } });
  if (watch !== undefined) client.use(watch);
  return client;
}

/** Returns the data of an answer. Throws the hub's error if there is none. */
function requireData<Data>(answer: {
  data?: Data;
  error?: Schemas["Problem"];
  response: Response;
}): Data {
  if (answer.data !== undefined) return answer.data;
  const { error, response } = answer;
  throw new Error(`${response.status} ${response.url}: ${error?.code} ${error?.error}`);
}

/** Adds and tests a row of the code host that developers see. */
async function addCodehost(admin: Api, { codehost }: AdminScenario) {
  const values = { base_url: codehost.url, token: codehost.token };
  const row = requireData(
    await admin.POST("/manager/api/rows", {
      body: { connector: "codehost", label: "Code host", tags: ["developers"], values },
    }),
  );
  const operation = { row: row.id, operation: "get_me" };
  const path = "/manager/api/rows/{row}/operations/{operation}/test";
  const { result } = requireData(await admin.POST(path, { params: { path: operation }, body: {} }));
  return { row, login: Object(result).login as unknown };
}

/** Adds a row of logs, and sets it up with clicks in its widgets, as a page does. */
async function setUpLogs(admin: Api, { logs }: AdminScenario): Promise<unknown> {
  const made = requireData(
    await admin.POST("/manager/api/rows", { body: { connector: "logs", label: "Logs" } }),
  );
  const { id: row } = made;
  let { version } = made;
  for (const [field, value] of Object.entries({
    base_url: logs.url,
    username: logs.username,
    password: logs.password,
  })) {
    const saved = await admin.PUT("/manager/api/rows/{row}/fields/{field}", {
      params: { path: { row, field } },
      body: { value, version },
    });
    version = requireData(saved).version;
  }
  for (const field of ["org_id", "datasource_uid"]) await clickFirst(admin, row, field);
  const settings = requireData(
    await admin.GET("/manager/api/rows/{row}/settings", { params: { path: { row } } }),
  );
  if (settings.missing.length > 0) throw new Error(`Missing: ${settings.missing.join(", ")}`);
  const health = requireData(
    await admin.POST("/manager/api/rows/{row}/health", { params: { path: { row } } }),
  );
  if (!health.ok) throw new Error(`The row is not healthy: ${health.reason}`);
  const tested = await admin.POST("/manager/api/rows/{row}/operations/{operation}/test", {
    params: { path: { row, operation: "query" } },
    body: { params: { query: '{app="api"}' } },
  });
  return requireData(tested).result;
}

/** Renders a widget and clicks its first option. */
async function clickFirst(admin: Api, row: string, field: string): Promise<void> {
  const path = "/manager/api/rows/{row}/fields/{field}/widget";
  const params = { path: { row, field } };
  const { html } = requireData(await admin.POST(path, { params, body: {} }));
  const arg = /data-op="__select" data-arg="([^"]*)"/.exec(html)?.[1];
  if (arg === undefined) throw new Error(`The widget of ${field} has no option: ${html}`);
  requireData(await admin.POST(path, { params, body: { op: "__select", arg } }));
}

/** Retries the first run, and checks the history before and after. */
async function retryFirst(admin: Api, row: Schemas["RowDetail"]): Promise<AdminReport["history"]> {
  const params = { path: { row: row.id }, query: {} };
  const list = async () =>
    requireData(await admin.GET("/manager/api/rows/{row}/runs", { params })).runs;
  const [first] = await list();
  if (first === undefined) throw new Error("There is no run.");
  const run = { params: { path: { run: first.id } } };
  requireData(await admin.POST("/manager/api/runs/{run}/retry", run));
  const { retries } = requireData(await admin.GET("/manager/api/runs/{run}", run));
  if (retries.length !== 1) throw new Error("The run does not list its retry.");
  const exported = await admin.GET("/manager/api/rows/{row}/runs/export", {
    params,
    parseAs: "text",
  });
  const lines = `${exported.data}`.trim().split("\n");
  const runs = await list();
  if (lines.length !== runs.length) throw new Error("The export does not contain all runs.");
  return runs.map(({ source, status, parent_run_id }) => ({
    source,
    status,
    parent: parent_run_id === first.id ? "the first" : parent_run_id,
  }));
}

async function switchOff(admin: Api, { id: row }: Schemas["RowDetail"]) {
  const operation = "merge_pr";
  const off = await admin.POST("/manager/api/rows/{row}/operations/{operation}/disable", {
    params: { path: { row, operation } },
  });
  requireData(await admin.POST("/manager/api/rows/{row}/disable", { params: { path: { row } } }));
  const shown = requireData(
    await admin.GET("/manager/api/rows/{row}", { params: { path: { row } } }),
  );
  return { disabled: shown.disabled, operationEnabled: requireData(off).enabled };
}

async function installPlugin(scenario: AdminScenario, body: { source: string }) {
  const { data } = await openClient(scenario.directUrl, scenario.adminToken).POST(
    "/manager/api/plugins/install",
    { body, headers: { Accept: "text/event-stream" }, parseAs: "stream" },
  );
  return await followEvents<Schemas["Plugin"]>(data);
}

async function updatePlugin(scenario: AdminScenario, key: string) {
  const { data } = await openClient(scenario.directUrl, scenario.adminToken).POST(
    "/manager/api/plugins/{key}/update",
    { params: { path: { key } }, headers: { Accept: "text/event-stream" }, parseAs: "stream" },
  );
  return await followEvents<Schemas["PluginUpdate"]>(data);
}

/** Reads all events. Returns each phase once, and the outcome. */
async function followEvents<Result>(stream: ReadableStream<Uint8Array> | null | undefined) {
  const text = await new Response(stream ?? null).text();
  const events = text
    .split("\n\n")
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
    .map((data) => JSON.parse(data));
  const phases = events.flatMap(({ progress }) => (progress === undefined ? [] : [progress.phase]));
  const outcome: { result?: Result } = events.at(-1) ?? {};
  if (outcome.result === undefined) throw new Error(`The change failed: ${text}`);
  return { phases: [...new Set<string>(phases)], result: outcome.result };
}
