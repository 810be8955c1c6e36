import { expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { createLocalConnector } from "./local-connector.ts";
import { createConnectorRegistry } from "./registry.ts";

const connectorOf = (key: string, name = key) =>
  createLocalConnector(
    defineConnector({
      key,
      name,
      icon: "box",
      tier: "builtin",
      description: "A connector for tests.",
      config: {},
      operations: {},
    }),
    () => ({}),
  );

test("No connector replaces another by its key (trap 26)", () => {
  const registry = createConnectorRegistry();
  registry.register(connectorOf("http", "The hub's own"));
  expect(() => registry.register(connectorOf("http", "An intruder"))).toThrow(
    'A connector with the key "http" is already registered',
  );
  expect(registry.find("http")?.name).toBe("The hub's own");
});

test("Every change increments the generation", () => {
  const registry = createConnectorRegistry();
  const generations = [registry.generation()];
  const record = () => generations.push(registry.generation());
  registry.register(connectorOf("b"));
  record();
  registry.register(connectorOf("a"));
  record();
  expect(registry.list().map(({ key }) => key)).toEqual(["a", "b"]);
  registry.unregister("b");
  record();
  expect(new Set(generations).size).toBe(4);
  registry.unregister("b");
  expect(registry.generation()).toBe(generations.at(-1) ?? -1);
  expect(registry.find("b")).toBeNull();
});
