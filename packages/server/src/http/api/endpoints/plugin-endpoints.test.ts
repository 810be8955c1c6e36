import { afterAll, beforeAll, expect, test } from "bun:test";
import type { PluginHost } from "../../../plugins/plugin-host-port.ts";
import { unshared } from "../../../plugins/sync-registry.ts";
import { openTestServices } from "../../../services/testing/open-test-services.ts";
import { createApiRequest } from "../../testing/api-request.ts";
import { browsePlugins, installPlugin, removePlugin, updatePlugin } from "./plugin-endpoints.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

const state = { key: "tracker", plugin: null, enabled: true, problem: null, ...unshared };
const entry = { key: "tracker", name: "Tracker", description: "A tracker.", version: "1.0.0" };
const asset = { url: "https://example.com/t.zip" };

/** Services whose plugin host records its calls and does nothing. */
function openServices(answers: Record<string, unknown> = {}) {
  const calls: unknown[] = [];
  const methods = Object.entries({ install: state, remove: state, ...answers }).map(
    ([name, answer]) => [
      name,
      async (...given: unknown[]) => {
        calls.push([name, ...given]);
        return answer;
      },
    ],
  );
  const plugins = {
    thisHub: { hostPlatform: "linux/arm64", hubVersion: "1.0.0" },
    list: async () => [],
    find: async () => state,
    findOffer: async () => entry,
    findOtherSource: async () => null,
    findCatalogAbsence: async () => null,
    join: (_: string, onStep: unknown, work: (onStep: unknown) => unknown) => work(onStep),
    ...Object.fromEntries(methods),
    // The host has more methods, which these endpoints do not use.
  } as unknown as PluginHost;
  return { calls, services: { ...hub.deps, plugins } };
}

test("The catalog shows why a plugin cannot be installed here, and when a stale catalog was loaded", async () => {
  const { services } = openServices({
    loadCatalog: {
      entries: [
        { ...entry, assets: { "linux/arm64": asset } },
        { ...entry, assets: { "linux/amd64": asset } },
        { ...entry, assets: {} },
        { ...entry, key: "other", name: "Other", description: "", assets: {} },
      ],
      staleSince: new Date("2026-01-01T00:00:00.000Z"),
    },
  });
  const { req } = createApiRequest({ services, query: { q: "track" } });
  const { plugins, stale_since: staleSince } = Object(
    await (await browsePlugins.respond(req)).json(),
  );
  expect(staleSince).toBe("2026-01-01T00:00:00.000Z");
  expect(plugins.map((one: unknown) => Object(one).unavailable_reason)).toEqual([
    null,
    "It has no build for this machine. Available builds: linux/amd64.",
    "It has no build for this machine. Available builds: none.",
  ]);
});

test.each([
  ["nothing but the source", {}, { allowDowngrade: false, replace: false }],
  ["a downgrade", { allow_downgrade: true }, { allowDowngrade: true, replace: false }],
  ["a replacement", { replace: true }, { allowDowngrade: false, replace: true }],
])("An install allows only what was requested: %s", async (_, more, options) => {
  const { calls, services } = openServices();
  const body = JSON.stringify({ source: "tracker", ...more });
  await installPlugin.respond(createApiRequest({ services, body }).req);
  expect(calls).toEqual([
    [
      "install",
      "tracker",
      { ...options, cwd: "/", by: "local-admin", onProgress: expect.any(Function) },
    ],
  ]);
});

test("An update replaces a plugin from another source only with replace", async () => {
  const { calls, services } = openServices();
  const params = { key: "tracker" };
  for (const body of ["", '{"replace":true}']) {
    await updatePlugin.respond(createApiRequest({ services, params, body }).req);
  }
  expect(calls).toMatchObject([
    ["install", "tracker", { cwd: "/", replace: false }],
    ["install", "tracker", { cwd: "/", replace: true }],
  ]);
});

test("A plugin's data is deleted only with data=true", async () => {
  const { calls, services } = openServices();
  const params = { key: "tracker" };
  const queries: Array<Record<string, string>> = [{}, { data: "false" }, { data: "true" }];
  for (const query of queries) {
    await removePlugin.respond(createApiRequest({ services, params, query }).req);
  }
  expect(calls.map((call) => Object(call)[2])).toEqual([
    { withData: false },
    { withData: false },
    { withData: true },
  ]);
});

test.each([
  "HTTPS://example.com/t.zip",
  "https://example.com/t.zip",
  "tracker_2",
])("The API accepts the source %s", async (source) => {
  const { services } = openServices();
  const { req } = createApiRequest({ services, body: JSON.stringify({ source }) });
  expect((await installPlugin.respond(req)).status).toBe(200);
});

test.each([
  "/etc/plugins/tracker.zip",
  "./tracker",
  "../tracker",
  "tracker.zip",
  "file:///srv/tracker.zip",
  "http://example.com/t.zip",
  "Tracker",
  "",
])("The API refuses the source %j, so that a remote admin cannot read files of the server", async (source) => {
  const { calls, services } = openServices();
  const { req } = createApiRequest({ services, body: JSON.stringify({ source }) });
  const answered = Promise.try(() => installPlugin.respond(req));
  await expect(answered).rejects.toMatchObject({ code: "bad_request" });
  expect(calls).toEqual([]);
});
