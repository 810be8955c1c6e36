/** Plugins over the API: browse, install and update with progress, enable, disable, remove. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { basename, join } from "node:path";
import { type AuthorFolder, openAuthorFolder } from "../support/make-plugin.ts";
import { waitFor } from "../support/wait-for.ts";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

setDefaultTimeout(180_000);

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
  // Its rows would keep the key for plugins from the same source.
  expect((await hub.request("DELETE", `/manager/api/rows/${row.body.id}`, admin)).status).toBe(200);
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
  const updated = await request("POST", "/tracker/update", {});
  expect([updated.status, updated.body.check]).toEqual([422, "source"]);
  const replaced = await request("POST", "/tracker/update", { replace: true });
  expect([replaced.status, replaced.body.version]).toEqual([200, "0.2.0"]);
  expect((await install({})).status).toBe(200);
  await request("DELETE", "/tracker");
});

const upload = async (
  bytes: Uint8Array,
  { headers, query = {} }: { headers: object; query?: Record<string, string> },
) => {
  const search = new URLSearchParams({ name: "tracker.zip", ...query });
  const response = await fetch(`${hub.url}/manager/api/plugins/upload?${search}`, {
    method: "POST",
    headers: { "content-type": "application/zip", ...headers },
    body: bytes,
  });
  const text = await response.text();
  const isEvents = response.headers.get("content-type") === "text/event-stream";
  const events = isEvents ? [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data) : [text];
  return { status: response.status, events: events.map((data) => JSON.parse(data ?? "")) };
};
const readArchive = async (version: string) => {
  const [path = ""] = new Bun.Glob(`dist/tracker-${version}-*.zip`).scanSync(author.path);
  return new Uint8Array(await readFile(join(author.path, path)));
};
const listStaging = () =>
  readdir(join(hub.dataDir, "plugins/.staging")).catch(() => [] as string[]);

test("An admin installs a plugin from an uploaded archive, with its phases, and the change is recorded", async () => {
  const archive = await readArchive("0.1.0");
  const browser = await hub.openBrowser(admin.user.id);
  const headers = { ...browser, accept: "text/event-stream" };
  const { status, events } = await upload(archive, { headers });
  expect(status).toBe(200);
  const phases = events.flatMap(({ progress }) => (progress ? [progress.phase] : []));
  expect([...new Set(phases)]).toEqual(["verifying", "replacing", "done"]);
  expect(events.at(-1).result).toMatchObject({ key: "tracker", version: "0.1.0", enabled: true });
  const { body } = await hub.request("GET", "/admin/api/changes?target_kind=plugin&limit=1", admin);
  expect(body.changes[0]).toMatchObject({ action: "plugin.install", via: "session" });
  expect(await listStaging()).toEqual([]);

  // Anyone can give a file this name, so that it does not say who made it.
  const refused = await upload(archive, { headers: admin.headers });
  expect([refused.status, refused.events[0].check]).toEqual([422, "source"]);
  expect(refused.events[0].error).toContain("the uploaded file tracker.zip");
  const replaced = await upload(archive, { headers: admin.headers, query: { replace: "true" } });
  expect([replaced.status, replaced.events[0].version]).toEqual([200, "0.1.0"]);
  await request("DELETE", "/tracker");
});

test("An upload needs an admin and the CSRF token, and is refused before its body is read", async () => {
  const browser = await hub.openBrowser(admin.user.id);
  const bytes = new Uint8Array(8 * 1024 * 1024);
  const withoutToken = { cookie: browser.cookie ?? "" };
  expect((await upload(bytes, { headers: {} })).status).toBe(401);
  expect((await upload(bytes, { headers: withoutToken })).status).toBe(403);
  expect((await upload(bytes, { headers: user.headers })).status).toBe(403);
  const origin = { ...browser, origin: "https://evil.example" };
  expect((await upload(bytes, { headers: origin })).status).toBe(403);
  // A page of another site may send these without asking.
  for (const type of ["text/plain", "multipart/form-data", "application/x-www-form-urlencoded"]) {
    const headers = { ...browser, "content-type": type };
    expect((await upload(bytes, { headers })).status).toBe(415);
  }
});

test("A file that is not a plugin's archive is refused, and nothing of it is kept", async () => {
  const archive = await readArchive("0.1.0");
  const { headers } = admin;
  for (const bytes of [new Uint8Array(), new TextEncoder().encode("hello"), archive.slice(0, -9)]) {
    const { status, events } = await upload(bytes, { headers });
    expect([status, events[0].code]).toEqual([422, "plugin_refused"]);
  }
  const odd = { name: `../a\n${"x".repeat(300)}.zip` };
  const { events } = await upload(new Uint8Array(9), { headers, query: odd });
  expect(events[0].error).not.toContain("..");
  expect(await listStaging()).toEqual([]);
  expect((await request("GET", "")).body.plugins).toEqual([]);
});

test("An upload that is cut off leaves nothing", async () => {
  const archive = await readArchive("0.1.0");
  const { hostname, port } = new URL(hub.url);
  const socket = connect(Number(port), hostname);
  const lines = [
    "POST /manager/api/plugins/upload HTTP/1.1",
    `Host: ${hostname}:${port}`,
    `Authorization: ${admin.headers.authorization}`,
    "Content-Type: application/zip",
    `Content-Length: ${archive.length}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  socket.write(archive.slice(0, archive.length / 2));
  await waitFor(async () => (await listStaging()).length === 1);
  socket.destroy();
  await waitFor(async () => (await listStaging()).length === 0);
  expect((await request("GET", "")).body.plugins).toEqual([]);
});

test("A body that is announced larger than the limit is refused at once", async () => {
  const { hostname, port } = new URL(hub.url);
  const socket = connect(Number(port), hostname);
  const answer = new Promise<string>((resolve) => {
    socket.once("data", (bytes) => resolve(bytes.toString()));
  });
  const lines = [
    "POST /manager/api/plugins/upload HTTP/1.1",
    `Host: ${hostname}:${port}`,
    `Authorization: ${admin.headers.authorization}`,
    "Content-Type: application/zip",
    "Content-Length: 536870913",
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  expect(await answer).toStartWith("HTTP/1.1 413");
  socket.destroy();
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
