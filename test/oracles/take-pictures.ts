/**
 * Keeps pictures of every page of the app in a folder, for people to look at:
 * `bun test/oracles/take-pictures.ts FOLDER`. It fills a hub with runs first.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { makeRuns } from "./support/app-pages.ts";
import { findChromium } from "./support/chromium.ts";
import { fillAdminPages } from "./support/fill-admin-pages.ts";
import { openApp } from "./support/open-app.ts";

const [folder] = process.argv.slice(2);
const executable = findChromium();
if (folder === undefined || executable === null) {
  console.error("Usage: bun test/oracles/take-pictures.ts FOLDER, on a machine with Chromium");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

const widths = [360, 768, 1280, 1920];
const schemes = ["light", "dark"] as const;

await using app = await openApp(executable);
const { hub, base } = app;

async function takeAll(state: string, paths: Record<string, string>): Promise<void> {
  for (const width of widths) {
    for (const colorScheme of schemes) {
      await using visitor = await app.open("/profile", { width, colorScheme });
      for (const [name, path] of Object.entries(paths)) {
        await visitor.page.goto(`${base}${path}`);
        await visitor.page.waitForSelector("h1");
        await visitor.page.waitForLoadState("networkidle");
        const file = `${state}-${name}-${width}-${colorScheme}.png`;
        await visitor.page.screenshot({ path: join(folder ?? "", file), fullPage: true });
      }
    }
  }
}

await takeAll("empty", {
  home: "/",
  runs: "/manager/runs",
  connectors: "/manager/connectors",
  connector: "/manager/connectors/http",
});
const runs = await makeRuns(hub, base);
const { adaId } = await fillAdminPages(hub, base);
await takeAll("full", {
  home: "/",
  connector: "/manager/connectors/hub",
  runs: "/manager/runs",
  run: `/manager/runs/${runs.at(0)}`,
  "run-unknown": "/manager/runs/00000000-0000-7000-8000-000000000000",
  users: "/admin/users",
  user: `/admin/users/${adaId}`,
  tags: "/admin/tags",
  tag: "/admin/tags/engineering",
  types: "/admin/connectors",
  tokens: "/admin/tokens",
  applications: "/admin/applications",
  changes: "/admin/changes",
  settings: "/admin/settings",
  health: "/admin/health",
  profile: "/profile",
  connect: "/profile/mcp",
});
