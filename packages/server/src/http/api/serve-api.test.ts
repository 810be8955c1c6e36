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
