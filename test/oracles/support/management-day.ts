import createClient, { type Client, type Middleware } from "openapi-fetch";
// Written by openapi-typescript from the served document; see management-client.test.ts.
import type { components, paths } from "./management-api.generated.ts";

type Schemas = components["schemas"];

/** Where the day takes place. */
export type DayPlace = {
  /** The hub, through a proxy that holds every answer against the document. */
  url: string;
  /** The hub itself: the proxy gathers up streams. */
  directUrl: string;
  adminToken: string;
  codehost: { url: string; token: string };
  logs: { url: string; username: string; password: string };
  /** Makes a personal access token for a user, as the user would. */
  makeToken(email: string): Promise<string>;
  /** Lets the catalog offer the next version of the plugin `tracker`. */
  publishNext(): Promise<void>;
};

/** What the day came to. */
export type DayReport = {
  phases: { install: string[]; update: string[] };
  login: unknown;
  found: unknown;
  rowsOfUser: string[];
  history: { source: string; status: string; parent: string | null }[];
  afterDisable: { disabled: boolean; operationEnabled: boolean };
  updated: Pick<Schemas["PluginUpdate"], "version" | "previous_version" | "updated">;
  actions: string[];
  countedRuns: number;
  /** Where an answer broke the document, in the proxy's words. */
  violations: string[];
  /** All that was answered, for a look for secrets. */
  transcript: string;
};

/** A working day of an admin, by a client that knows the hub from its OpenAPI document alone. */
export async function spendDay(place: DayPlace): Promise<DayReport> {
  const violations: string[] = [];
  const answers: string[] = [];
  const watch: Middleware = {
    async onResponse({ request, response }) {
      const broken = response.headers.get("sl-violations");
      if (broken !== null) violations.push(`${request.method} ${request.url}: ${broken}`);
      answers.push(await response.clone().text());
    },
  };
  const admin = openClient(place.url, place.adminToken, watch);
  const install = await installPlugin(place, { source: "tracker" });
  for (const source of ["codehost", "logs"]) {
    must(await admin.POST("/manager/api/plugins/install", { body: { source } }));
  }

  const email = "grace@example.com";
  const added = must(
    await admin.POST("/admin/api/users", { body: { email, tags: ["developers"] } }),
  );
  const tags = must(await admin.GET("/admin/api/tags")).tags;
  if (tags.find(({ name }) => name === "developers")?.users !== 1) throw new Error("No tag.");

  const { row, login } = await addCodehost(admin, place);
  const found = await setUpLogs(admin, place);

  const user = openClient(place.url, await place.makeToken(email), watch);
  const seen = must(await user.GET("/manager/api/rows")).rows;
  if (must(await user.GET("/profile/api/me")).user.id !== added.id) throw new Error("Not them.");

  const history = await retryFirst(admin, row);
  const afterDisable = await switchOff(admin, row);
  await place.publishNext();
  const update = await updatePlugin(place, "tracker");
  const { changes } = must(await admin.GET("/admin/api/changes", { params: { query: {} } }));
  const summary = must(await admin.GET("/manager/api/runs/summary", { params: { query: {} } }));
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

/** The answer; throws the hub's own words where there is none. */
function must<Data>(answer: { data?: Data; error?: Schemas["Problem"]; response: Response }): Data {
  if (answer.data !== undefined) return answer.data;
  const { error, response } = answer;
  throw new Error(`${response.status} ${response.url}: ${error?.code} ${error?.error}`);
}

/** A row of the code host that the developers see, tried out. */
async function addCodehost(admin: Api, { codehost }: DayPlace) {
  const values = { base_url: codehost.url, token: codehost.token };
  const row = must(
    await admin.POST("/manager/api/rows", {
      body: { connector: "codehost", label: "Code host", tags: ["developers"], values },
    }),
  );
  const operation = { row: row.id, operation: "get_me" };
  const path = "/manager/api/rows/{row}/operations/{operation}/test";
  const { result } = must(await admin.POST(path, { params: { path: operation }, body: {} }));
  return { row, login: Object(result).login as unknown };
}

/** A row of logs, set up by clicking in its widgets as a page does. */
async function setUpLogs(admin: Api, { logs }: DayPlace): Promise<unknown> {
  const made = must(
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
    version = must(saved).version;
  }
  for (const field of ["org_id", "datasource_uid"]) await clickFirst(admin, row, field);
  const settings = must(
    await admin.GET("/manager/api/rows/{row}/settings", { params: { path: { row } } }),
  );
  if (settings.missing.length > 0) throw new Error(`Missing: ${settings.missing.join(", ")}`);
  const health = must(
    await admin.POST("/manager/api/rows/{row}/health", { params: { path: { row } } }),
  );
  if (!health.ok) throw new Error(`Not well: ${health.reason}`);
  const tested = await admin.POST("/manager/api/rows/{row}/operations/{operation}/test", {
    params: { path: { row, operation: "query" } },
    body: { params: { query: '{app="api"}' } },
  });
  return must(tested).result;
}

/** Draws a widget and clicks on the first thing that can be selected in it. */
async function clickFirst(admin: Api, row: string, field: string): Promise<void> {
  const path = "/manager/api/rows/{row}/fields/{field}/widget";
  const params = { path: { row, field } };
  const { html } = must(await admin.POST(path, { params, body: {} }));
  const arg = /data-op="__select" data-arg="([^"]*)"/.exec(html)?.[1];
  if (arg === undefined) throw new Error(`Nothing to select for ${field}: ${html}`);
  must(await admin.POST(path, { params, body: { op: "__select", arg } }));
}

/** Looks at what was tried, tries it again, and looks again. */
async function retryFirst(admin: Api, row: Schemas["RowDetail"]): Promise<DayReport["history"]> {
  const params = { path: { row: row.id }, query: {} };
  const list = async () => must(await admin.GET("/manager/api/rows/{row}/runs", { params })).runs;
  const [first] = await list();
  if (first === undefined) throw new Error("Nothing is on record.");
  const run = { params: { path: { run: first.id } } };
  must(await admin.POST("/manager/api/runs/{run}/retry", run));
  const { retries } = must(await admin.GET("/manager/api/runs/{run}", run));
  if (retries.length !== 1) throw new Error("The retry is not told of.");
  const exported = await admin.GET("/manager/api/rows/{row}/runs/export", {
    params,
    parseAs: "text",
  });
  const lines = `${exported.data}`.trim().split("\n");
  const runs = await list();
  if (lines.length !== runs.length) throw new Error("The export lacks runs.");
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
  must(await admin.POST("/manager/api/rows/{row}/disable", { params: { path: { row } } }));
  const shown = must(await admin.GET("/manager/api/rows/{row}", { params: { path: { row } } }));
  return { disabled: shown.disabled, operationEnabled: must(off).enabled };
}

async function installPlugin(place: DayPlace, body: { source: string }) {
  const { data } = await openClient(place.directUrl, place.adminToken).POST(
    "/manager/api/plugins/install",
    { body, headers: { Accept: "text/event-stream" }, parseAs: "stream" },
  );
  return await followEvents<Schemas["Plugin"]>(data);
}

async function updatePlugin(place: DayPlace, key: string) {
  const { data } = await openClient(place.directUrl, place.adminToken).POST(
    "/manager/api/plugins/{key}/update",
    { params: { path: { key } }, headers: { Accept: "text/event-stream" }, parseAs: "stream" },
  );
  return await followEvents<Schemas["PluginUpdate"]>(data);
}

/** Reads events to their end: each phase once, and the outcome. */
async function followEvents<Result>(stream: ReadableStream<Uint8Array> | null | undefined) {
  const text = await new Response(stream ?? null).text();
  const events = text
    .split("\n\n")
    .flatMap((event) => /^data: (.*)$/m.exec(event)?.[1] ?? [])
    .map((data) => JSON.parse(data));
  const told = events.flatMap(({ progress }) => (progress === undefined ? [] : [progress.phase]));
  const outcome: { result?: Result } = events.at(-1) ?? {};
  if (outcome.result === undefined) throw new Error(`It failed: ${text}`);
  return { phases: [...new Set<string>(told)], result: outcome.result };
}
