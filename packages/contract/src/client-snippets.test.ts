import { expect, test } from "bun:test";
import { toInstallLinks } from "./client-snippets.ts";

test.each([
  // Its base64 has "+" and "/", which mean something else in a query.
  "https://hub.example.com/~~~/???/>>>/mcp",
  "https://hub.example.com:8443/a%20b/mcp",
])("The links that add the hub to an editor keep the address %s", (url) => {
  const [cursor = "", vscode = ""] = toInstallLinks(url).map(({ href }) => href);
  const config = new URL(cursor).searchParams.get("config") ?? "";
  expect(JSON.parse(atob(config))).toEqual({ url });
  expect(cursor.split("config=")[1]).toMatch(/^[A-Za-z0-9%]+$/);
  const object = JSON.parse(decodeURIComponent(vscode.slice("vscode:mcp/install?".length)));
  expect(object).toEqual({ name: "hub", type: "http", url });
  for (const link of [cursor, vscode]) expect(link).not.toContain("YOUR_TOKEN");
});
