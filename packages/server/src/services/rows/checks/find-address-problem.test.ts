import { expect, test } from "bun:test";
import { defineConnector, type Field, wick } from "@hub/connector";
import { findAddressProblem } from "./find-address-problem.ts";

function findProblem(config: Record<string, Field>, text: string): string | null {
  const { configFields } = defineConnector({
    key: "host",
    name: "Host",
    icon: "bug",
    tier: "builtin",
    description: "For tests.",
    config,
    operations: { read: { description: "Reads.", run: () => null } },
  });
  const field = configFields.find(({ key }) => key === "base_url");
  if (field === undefined) throw new Error("The connector has no base_url.");
  return findAddressProblem(configFields, field, text);
}

const BaseURL = wick("url");
const held = "must not contain a user name or password";

test.each<[string, Record<string, Field>, string]>([
  ["nothing", { BaseURL }, held],
  ["its only secret field", { BaseURL, Token: wick("secret") }, `${held}; use token instead`],
  [
    "each of its secret fields",
    { BaseURL, One: wick("secret"), Two: wick("secret"), Three: wick("secret") },
    `${held}; use one, two and three instead`,
  ],
  [
    "its fields for the two, before other secret ones",
    { BaseURL, Username: wick(""), Password: wick("secret"), Token: wick("secret") },
    `${held}; use username and password instead`,
  ],
])("For an address with a password, the connector's error suggests %s", (_, config, message) => {
  expect(findProblem(config, "https://ada:word@host.example.com")).toBe(message);
});

test("For a base URL with a query string, a connector suggests its field for queries", () => {
  const config = { BaseURL, DefaultQuery: wick(""), Token: wick("secret") };
  expect(findProblem(config, "https://host.example.com/?key=1")).toBe(
    "must not contain a query string; use default_query instead",
  );
});
