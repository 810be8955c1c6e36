import { expect, test } from "bun:test";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { findImportedConnector } from "./plan-import.ts";

/** A registry with these keys, of plugins or of built-in connectors. */
function openRegistry(tiers: Record<string, RegisteredConnector["tier"]>) {
  // The cast is safe: only the tier is read.
  const find = (key: string) =>
    (Object.hasOwn(tiers, key) ? { key, tier: tiers[key] } : null) as RegisteredConnector | null;
  // The cast is safe: only `find` is called.
  return { registry: { find } } as Parameters<typeof findImportedConnector>[0];
}

test("Imported servers never become rows of a plugin, which would get their secrets", () => {
  expect(findImportedConnector(openRegistry({ mcp: "builtin" }))).toBe("mcp");
  const moved = openRegistry({ mcp: "plugin", hub_mcp: "builtin" });
  expect(findImportedConnector(moved)).toBe("hub_mcp");
  const off = openRegistry({ mcp: "plugin", hub_mcp: "plugin" });
  expect(() => findImportedConnector(off)).toThrow(/is off, because plugins have its keys/);
});
