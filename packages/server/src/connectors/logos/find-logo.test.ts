import { describe, expect, test } from "bun:test";
import { findConnectorLogo, findHostLogo, findRowLogo } from "./find-logo.ts";

describe("The logo of an address", () => {
  test.each([
    ["https://api.github.com", "github"],
    ["https://API.GitHub.com./repos?x=1", "github"],
    ["https://gmail.googleapis.com/gmail/v1", "gmail"],
    ["https://other.googleapis.com", "google"],
    ["https://team.atlassian.net/rest", "jira"],
    ["https://mcp.linear.app/mcp", "linear"],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: addresses name secrets so.
    ["https://mcp.stripe.com/${KEY}", "stripe"],
  ] as const)("%s is that of %s", (address, logo) => {
    expect(findHostLogo(address)).toBe(logo);
  });

  test.each([
    "",
    "api.github.com",
    "https://evil-github.com",
    "https://github.com.evil.example",
    "https://someone.github.io",
    "https://github.com@evil.example/",
    "https://10.0.0.1/github.com",
    "https://tracker.intern",
    "https://com",
    "ftp://github.com",
    "https://__proto__/",
    `https://${"a.".repeat(5_000)}github.com`,
  ])("Address %# is of no brand", (address) => {
    expect(findHostLogo(address)).toBeNull();
  });
});

test.each([
  [{ key: "slack" }, "slack"],
  [{ key: "codehost", name: "Code host" }, "github"],
  [{ key: "orders_db", name: "PostgreSQL" }, "postgresql"],
  [{ key: "files", name: "Files", icon: "brand-google-drive" }, "googledrive"],
  [{ key: "tickets", name: "Tickets", icon: "jira" }, "jira"],
  [{ key: "tracker", name: "Tracker", icon: "box" }, null],
  [{ key: "constructor", name: "__proto__", icon: "toString" }, null],
  [{ key: "tracker", name: "x".repeat(100_000), icon: "" }, null],
] as const)("The logo of connector %# follows from its key, name or icon", (connector, logo) => {
  expect(findConnectorLogo(connector)).toBe(logo);
});

const value = (key: string, text: string) => ({ key, value: text });
const toArgs = (...args: string[]) => JSON.stringify(args.map((one) => ({ value: one })));

test.each([
  ["http", [value("base_url", "https://api.github.com")], "github"],
  ["http", [value("base_url", "https://tracker.intern")], null],
  ["http", [], null],
  ["mcp", [value("url", "https://mcp.notion.com/mcp")], "notion"],
  ["mcp", [value("transport", "stdio"), value("url", "https://mcp.notion.com/mcp")], null],
  ["codehost", [], "github"],
  ["codehost", [value("base_url", "https://code.intern/api/v3")], "github"],
] as const)("A row of %s, case %#, has the logo of the system that it reaches", (key, values, logo) => {
  expect(findRowLogo({ connectorKey: key, values }, null)).toBe(logo);
});

test.each([
  [["-y", "@modelcontextprotocol/server-github"], "github"],
  [["-y", "@notionhq/notion-mcp-server"], "notion"],
  [["mcp-server-sqlite", "--db-path", "/srv/slack.db"], "sqlite"],
  [["run", "-i", "ghcr.io/github/github-mcp-server"], "github"],
  [["-y", "@playwright/mcp"], null],
  [["--db", "/srv/slack.db"], null],
  [["mcp-remote", "https://x.example"], null],
  [["mcp".repeat(100_000)], null],
] as const)("A program with the arguments %# has the logo of its package", (args, logo) => {
  const values = [value("transport", "stdio"), value("args", toArgs(...args))];
  expect(findRowLogo({ connectorKey: "mcp", values }, null)).toBe(logo);
});
