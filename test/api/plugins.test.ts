/** Plugins over the API: browse, install and update with progress, enable, disable, remove. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { type AuthorFolder, openAuthorFolder } from "../support/make-plugin.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

setDefaultTimeout(120_000);

const owned = new AsyncDisposableStack();
let author: AuthorFolder;
let hub: ApiHub;
let admin: Awaited<ReturnType<ApiHub["addUser"]>>;
let user: Awaited<ReturnType<ApiHub["addUser"]>>;

beforeAll(async () => {
  author = owned.use(await openAuthorFolder());
  await author.wick("init", "tracker");
  await author.buildScript("tracker");
  await listDist();
  const site = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (req) => new Response(Bun.file(join(author.path, "dist", basename(req.url)))),
  });
  owned.defer(() => site.stop(true));
  hub = owned.use(await openApiHub({ HUB_PLUGIN_CATALOG: `${site.url}plugins.json` }));
  admin = await hub.addUser("root@example.com", { admin: true });
  user = await hub.addUser("ada@example.com");
});
afterAll(() => owned.disposeAsync());

async function publish(version: string): Promise<void> {
  const file = join(author.path, "tracker", "package.json");
  const source = JSON.parse(await readFile(file, "utf8"));
  await writeFile(file, JSON.stringify({ ...source, version }));
  await author.buildScript("tracker");
  await listDist();
}

async function listDist(): Promise<void> {
  await author.wick("catalog", "--from", "dist", "--out", "dist/plugins.json");
}

const request = (method: string, path: string, body?: unknown, who = admin) =>
  hub.request(method, `/manager/api/plugins${path}`, { ...who, body });

/** Sends a request, and returns the data of its server-sent events in order. */
async function readEvents(path: string, body?: unknown) {
  const response = await fetch(`${hub.url}/manager/api/plugins${path}`, {
    method: "POST",
    headers: {
      ...admin.headers,
      accept: "text/event-stream",
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  return (await response.text())
    .split("\n\n")
    .map((event) => /^data: (.*)$/m.exec(event)?.[1])
    .filter((data) => data !== undefined)
    .map((data) => JSON.parse(data));
}

test("A plugin can be browsed, installed, updated, disabled, enabled and removed, and each change is recorded", async () => {
  // All users can browse the catalog.
  const catalog = await request("GET", "/catalog?q=track", undefined, user);
  expect(catalog.body.plugins).toMatchObject([
    {
      key: "tracker",
      version: "0.1.0",
      installed_version: null,
      update_available: false,
      available: true,
      unavailable_reason: null,
    },
  ]);
  expect((await request("GET", "/catalog?q=nothing-like-it")).body.plugins).toEqual([]);

  // The events of an installation contain its phases. Then the plugin can be called.
  const events = await readEvents("/install", { source: "tracker" });
  const phases = events.flatMap(({ progress }) => (progress ? [progress.phase] : []));
  expect([...new Set(phases)].at(-1)).toBe("done");
  expect(events.at(-1).result).toMatchObject({ key: "tracker", version: "0.1.0", enabled: true });
  const row = await hub.request("POST", "/manager/api/rows", {
    ...admin,
    body: { connector: "tracker", label: "T" },
  });
  const tested = await hub.request(
    "POST",
    `/manager/api/rows/${row.body.id}/operations/greet/test`,
    {
      ...admin,
      body: { params: { who: "Ada" } },
    },
  );
  expect(tested.body.result).toEqual({ text: "Hello, Ada!" });

  // An update returns the new version. Without a newer version it changes nothing.
  await publish("0.2.0");
  // A client that does not accept events gets one answer at the end.
  const { status, body } = await request("POST", "/tracker/update");
  expect([status, body.version, body.previous_version, body.updated]).toEqual([
    200,
    "0.2.0",
    "0.1.0",
    true,
  ]);
  const again = await readEvents("/tracker/update");
  expect(again.at(-1).result).toMatchObject({ version: "0.2.0", updated: false });

  // Disabling, enabling and removing the plugin are recorded.
  expect((await request("POST", "/tracker/disable")).body.enabled).toBeFalse();
  expect((await request("POST", "/tracker/enable")).body.enabled).toBeTrue();
  expect((await request("DELETE", "/tracker")).status).toBe(200);
  expect((await request("GET", "")).body.plugins).toEqual([]);
  const changes = await hub.request("GET", "/admin/api/changes?target_kind=plugin", admin);
  expect(changes.body.changes.map(({ action }: { action: string }) => action)).toEqual([
    "plugin.remove",
    "plugin.enable",
    "plugin.disable",
    "plugin.update",
    "plugin.install",
  ]);
});

test("A failed installation ends with an event that contains the error", async () => {
  const events = await readEvents("/install", { source: "absent" });
  expect(events.at(-1)).toMatchObject({ code: "not_found", error: expect.any(String) });
});

test("The API replaces a plugin that was installed from a file only with `replace`", async () => {
  const [archive = ""] = [...new Bun.Glob("dist/tracker-0.1.0-*.zip").scanSync(author.path)];
  await hub.admin.plugins.install(join(author.path, archive), { cwd: author.path });
  const install = (body: object) => request("POST", "/install", { source: "tracker", ...body });
  const refused = await install({});
  expect([refused.status, refused.body.check]).toEqual([422, "source"]);
  expect(refused.body.error).toContain('"replace": true');
  expect(refused.body.error).toContain("(a file on the hub's machine)");
  // The answer does not show the server's folders.
  expect(JSON.stringify(refused.body)).not.toContain(author.path);
  await publish("0.3.0");
  const updated = await request("POST", "/tracker/update", {});
  expect([updated.status, updated.body.check]).toEqual([422, "source"]);
  const replaced = await request("POST", "/tracker/update", { replace: true });
  expect([replaced.status, replaced.body.version]).toEqual([200, "0.3.0"]);
  expect((await install({})).status).toBe(200);
  await request("DELETE", "/tracker");
});

test.each([
  "/etc/passwd",
  "./dist",
  "file:///etc/passwd",
  "http://192.0.2.1/x.zip",
])("The API does not install a plugin from a local file or over plain HTTP: %s", async (source) => {
  const { status, body } = await request("POST", "/install", { source });
  expect([status, body.code]).toEqual([400, "bad_request"]);
});
