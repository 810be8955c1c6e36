import { expect, test } from "bun:test";
import { createApiRequest } from "../../testing/api-request.ts";
import { browsePlugins, installPlugin, removePlugin, updatePlugin } from "./plugins.ts";

const plugin = {
  ...{ key: "tracker", name: "Tracker", description: "A tracker.", version: "1.0.0" },
  ...{ platforms: [], proto_version: 2, signature: "unsigned", enabled: true, problem: null },
};
const offer = {
  ...{ key: "tracker", name: "Tracker", description: "A tracker.", version: "1.0.0" },
  ...{ installed_version: null, update_available: false, available: true },
  platforms: ["linux/amd64"],
};

/** The verbs on plugins, which note what they are called with. */
function openVerbs(answers: Record<string, unknown>) {
  const calls: unknown[] = [];
  const verbs = Object.fromEntries(
    Object.entries(answers).map(([verb, answer]) => [
      verb,
      async (...given: unknown[]) => {
        calls.push([verb, ...given]);
        return answer;
      },
    ]),
  );
  return { calls, manager: { plugins: verbs } };
}

test("the catalog says what cannot be installed here, and since when it could not be had", async () => {
  const elsewhere = { ...offer, available: false };
  const { calls, manager } = openVerbs({
    search: {
      plugins: [offer, elsewhere, { ...elsewhere, platforms: [] }],
      stale_since: "2026-01-01T00:00:00Z",
    },
  });
  const { req } = createApiRequest({ manager, query: { q: "track" } });
  const { plugins, stale_since: staleSince } = Object(
    await (await browsePlugins.respond(req)).json(),
  );
  expect(calls).toEqual([["search", "track"]]);
  expect(staleSince).toBe("2026-01-01T00:00:00Z");
  expect(plugins.map((one: typeof elsewhere) => Object(one).unavailable_reason)).toEqual([
    null,
    "There is no build of it for this machine; there are: linux/amd64.",
    "There is no build of it for this machine; there are: none.",
  ]);
});

test.each([
  ["nothing but the source", {}, { allowDowngrade: false, replace: false }],
  ["a downgrade", { allow_downgrade: true }, { allowDowngrade: true, replace: false }],
  ["a replacement", { replace: true }, { allowDowngrade: false, replace: true }],
])("an install allows no more than was asked for: %s", async (_, more, options) => {
  const { calls, manager } = openVerbs({ install: plugin });
  const body = JSON.stringify({ source: "tracker", ...more });
  await installPlugin.respond(createApiRequest({ manager, body }).req);
  expect(calls).toEqual([
    ["install", "tracker", { ...options, cwd: "/", onProgress: expect.any(Function) }],
  ]);
});

test("an update replaces a plugin from another source only where that was asked for", async () => {
  const update = { ...plugin, previous_version: "1.0.0", updated: false };
  const { calls, manager } = openVerbs({ update });
  const params = { key: "tracker" };
  for (const body of ["", '{"replace":true}']) {
    await updatePlugin.respond(createApiRequest({ manager, params, body }).req);
  }
  expect(calls).toMatchObject([
    ["update", "tracker", { cwd: "/", replace: false }],
    ["update", "tracker", { cwd: "/", replace: true }],
  ]);
});

test("what a plugin's program stored is deleted only where that was asked for", async () => {
  const { calls, manager } = openVerbs({ remove: plugin });
  const params = { key: "tracker" };
  const queries: Array<Record<string, string>> = [{}, { data: "false" }, { data: "true" }];
  for (const query of queries) {
    await removePlugin.respond(createApiRequest({ manager, params, query }).req);
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
])("%s is a source that the API takes", async (source) => {
  const { manager } = openVerbs({ install: plugin });
  const { req } = createApiRequest({ manager, body: JSON.stringify({ source }) });
  expect((await installPlugin.respond(req)).status).toBe(200);
});
