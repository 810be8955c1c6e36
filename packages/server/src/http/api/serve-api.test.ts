import { expect, onTestFinished, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { ada } from "../../mcp/testing/open-test-mcp.ts";
import { openTestServices } from "../../services/testing/open-test-services.ts";
import { openTestApp, token } from "../testing/open-test-app.ts";

const calendar = defineConnector({
  key: "calendar",
  name: "Calendar",
  icon: "box",
  tier: "plugin",
  description: "A plugin.",
  config: {},
  operations: {},
});

test("A request finds the connector of a plugin that another process has just installed", async () => {
  const hub = await openTestServices();
  onTestFinished(hub.close);
  const { registry } = hub.deps;
  const { app } = openTestApp({
    services: hub.deps,
    authenticate: async () => ({ ...ada, role: "admin" }),
    followPlugins: async () => registry.register(createLocalConnector(calendar, () => ({}))),
  });
  const response = await app.request("http://localhost:7420/manager/api/connectors/calendar", {
    headers: { host: "localhost:7420", authorization: `Bearer ${token}` },
  });
  expect([response.status, Object(await response.json()).key]).toEqual([200, "calendar"]);
});

test("A hub starts without the endpoints of the API and the schemas of workflows in memory", async () => {
  const seen = new Set([import.meta.resolve("../routes.ts"), import.meta.resolve("../../hub.ts")]);
  for (const file of seen) {
    if (!/\.tsx?$/.test(file)) continue;
    const transpiler = new Bun.Transpiler({ loader: file.endsWith("x") ? "tsx" : "ts" });
    const { imports } = transpiler.scan(await Bun.file(new URL(file)).text());
    for (const { kind, path } of imports) {
      if (kind !== "import-statement") continue;
      if (path.startsWith(".")) seen.add(new URL(path, file).href);
      if (path.startsWith("@hub/")) seen.add(import.meta.resolve(path));
    }
  }
  const loaded = [...seen].map((file) => file.split("/packages/")[1] ?? file);
  expect(loaded).toContain("server/src/http/api/serve-api.ts");
  const isLate = (file: string) => /http\/api\/endpoints|workflow-(node|body)\.ts/.test(file);
  expect(loaded.filter(isLate)).toEqual([]);
});
