import { expect, test } from "bun:test";
import { toCategory } from "./categories.ts";

test.each([
  ["http", "world", "api"],
  ["openapi", "api", "api"],
  ["mcp", "plug", "api"],
  ["hub", "hub", "hub"],
  ["workflow_tool", "workflow", "hub"],
  ["slack", "brand-slack", "chat"],
  ["codehost", "git-branch", "code"],
  ["acme", "database", "data"],
  ["acme", "", "other"],
] as const)("The connector %s with the icon %s is of the category %s", (key, icon, category) => {
  expect(toCategory({ key, icon })).toBe(category);
});
