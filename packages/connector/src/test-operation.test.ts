import { expect, test } from "bun:test";
import { defineConnector } from "./define-connector.ts";
import { wick } from "./field-tags.ts";
import { testOperation } from "./test-operation.ts";

const connector = defineConnector({
  key: "tracker",
  name: "Tracker",
  icon: "plug",
  tier: "plugin",
  description: "A tracker.",
  config: { Teams: wick("picker=teams"), Retries: wick.int("default=3") },
  lookup: () => [],
  operations: {
    show: { description: "Shows.", input: {}, run: ({ config }) => ({ ...config }) },
  },
});

test("The configuration is given as text or typed, such as the items of a picker", async () => {
  const teams = [{ id: "7", name: "Seven" }];
  for (const value of [teams, JSON.stringify(teams)]) {
    const result = await testOperation(connector, "show", { config: { teams: value } });
    expect(result).toEqual({ Teams: teams, Retries: 3 });
  }
});

test.each([
  [{ teams: ["7"] }, "config.teams"],
  [{ retries: "many" }, "config.retries"],
  [{ team: "7" }, 'config.team is not a field of the connector. Did you mean "teams"?'],
])("A configuration of a wrong type is an error that names the field: %j", async (config, text) => {
  await expect(testOperation(connector, "show", { config })).rejects.toThrow(text);
});
