/**
 * Makes the pictures of the README and of `docs/guide/pages.md` from a hub with invented data:
 * `bun test/oracles/take-guide-pictures.ts [NAME…]`. They are the same on each
 * machine, because the hub brings its font. A picture that is larger than allowed is an error.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import process from "node:process";
import type { Page } from "playwright-core";
import { findChromium, startChromium, type TestBrowser } from "./support/chromium.ts";
import { callApi } from "./support/fill-admin-pages.ts";
import { type AppUser, openSession } from "./support/open-app.ts";
import { addSampleApproval } from "./support/sample-approval.ts";
import { openSampleHub } from "./support/sample-hub.ts";
import { addSampleWorkflows } from "./support/sample-workflows.ts";

const folder = resolve(import.meta.dirname, "../../docs/pictures");
const bytesMax = 150_000;
/** Pixels of a picture for one of the page. */
const scale = 1.5;

type Picture = {
  path: string;
  as?: AppUser;
  size?: { width: number; height: number };
  colorScheme?: "dark";
  act?: (page: Page) => Promise<unknown>;
};

const executable = findChromium();
if (executable === null) process.exit(2);
await using owned = new AsyncDisposableStack();
const browser = await startChromium(executable);
owned.defer(() => browser.close());
// The port that a hub has by itself, because pages show it. Checks would not find the invented hosts.
const env = { HUB_PORT: "7420", HUB_HEALTH_CHECKS: "0" };
const sample = owned.use(await openSampleHub({ env }));
const { rows, token, base } = sample;
const { orders } = await addSampleWorkflows(base, token, rows);

async function findSealedRun(): Promise<string> {
  const headers = { authorization: `Bearer ${token}` };
  const read = async (path: string) => Object(await (await fetch(base + path, { headers })).json());
  const { runs } = await read(`/manager/api/rows/${rows.billing}/runs?limit=50`);
  for (const { id } of runs) {
    if (JSON.stringify(await read(`/manager/api/runs/${id}`)).includes("hub_enc_")) return id;
  }
  throw new Error("No run has a masked secret.");
}

async function signIn(email: string): Promise<AppUser> {
  const made = await sample.hub.cli("user", "password", email, "--json");
  const { one_time_password: password } = made.json<{ one_time_password: string }>();
  return await openSession(base, { email, password });
}

async function findFailedRun(): Promise<string> {
  const { runs } = await callApi<{ runs: Array<{ id: string }> }>(
    base,
    token,
    `GET /manager/api/workflows/${orders}/runs?state=failed`,
  );
  return runs[0]?.id ?? "";
}

async function showGraph(page: Page): Promise<void> {
  await page.locator("[data-item]").first().waitFor();
  await page.waitForLoadState("networkidle");
}

const newUser = await signIn("luis.ortega@example.com");
const approver = await signIn("jonas.weber@example.com");
const approval = await addSampleApproval(base, token, { billing: rows.billing, tag: "finance" });
const row = (id: string, search = "") => `/manager/connectors/http/${id}${search}`;
const pictures: Record<string, Picture> = {
  home: { path: "/", size: { width: 1200, height: 880 } },
  "first-call": { path: "/", as: newUser, size: { width: 1200, height: 700 } },
  connections: { path: "/manager/connectors" },
  "add-connection": { path: "/manager/add" },
  "row-settings": { path: row(rows.billing) },
  "row-operations": { path: row(rows.billing, "?tab=operations") },
  "row-test": {
    path: row(rows.forecast, "?tab=test&op=get"),
    size: { width: 1520, height: 860 },
    async act(page) {
      await page.getByLabel("Path").fill("/forecast");
      await page.getByRole("button", { name: "Call", exact: true }).click();
      await page.getByText("Recorded call").waitFor();
      await page.evaluate("scrollTo(0, 0)");
    },
  },
  runs: { path: "/manager/runs" },
  run: { path: `/manager/runs/${await findSealedRun()}`, size: { width: 1200, height: 1000 } },
  workflow: { path: `/workflows/${orders}?tab=runs`, size: { width: 1400, height: 620 } },
  canvas: {
    path: `/workflows/${orders}/edit?node=check_stock`,
    size: { width: 1520, height: 860 },
    act: showGraph,
  },
  "workflow-run": {
    path: `/workflows/${orders}/runs/${await findFailedRun()}`,
    size: { width: 1520, height: 860 },
    act: showGraph,
  },
  approval: { path: `/approvals/${approval}`, as: approver },
  webhooks: { path: `/workflows/${orders}?tab=webhooks`, size: { width: 1200, height: 900 } },
  tag: { path: "/admin/tags/support", size: { width: 1200, height: 560 } },
  connect: { path: "/profile/mcp" },
  phone: { path: "/", size: { width: 390, height: 780 }, colorScheme: "dark" },
};

/** WebP is a third of the size of PNG. Chromium writes it from a canvas. */
async function toWebp(browser: TestBrowser, png: Buffer): Promise<Buffer> {
  const page = await browser.newPage();
  const base64 = await page.evaluate<string>(
    `(async () => {
      const bytes = Uint8Array.fromBase64(${JSON.stringify(png.toString("base64"))});
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      canvas.getContext("2d").drawImage(image, 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 0.86 });
      return new Uint8Array(await blob.arrayBuffer()).toBase64();
    })()`,
  );
  await page.close();
  return Buffer.from(base64, "base64");
}

/** Resolves when all parts of a page have what they show. */
async function waitUntilLoaded(page: Page): Promise<void> {
  const skeletons = '[role="status"][aria-label="Loading"], .mantine-Skeleton-root';
  await page.locator(skeletons).first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
}

async function take(name: string, picture: Picture): Promise<void> {
  const { as = sample.admin, size = { width: 1200, height: 760 }, colorScheme = "light" } = picture;
  const context = await browser.newContext({
    viewport: size,
    colorScheme,
    deviceScaleFactor: scale,
    reducedMotion: "reduce",
  });
  await context.addCookies(as.cookies);
  const page = await context.newPage();
  await page.goto(`${base}${picture.path}`);
  await page.waitForSelector("h1");
  await waitUntilLoaded(page);
  await picture.act?.(page);
  await waitUntilLoaded(page);
  await page.mouse.move(0, 0);
  const bytes = await toWebp(browser, await page.screenshot({ animations: "disabled" }));
  await context.close();
  if (bytes.length > bytesMax) throw new Error(`${name} has ${bytes.length} bytes.`);
  await writeFile(join(folder, `${name}.webp`), bytes);
  console.log(`${name}.webp  ${Math.round(bytes.length / 1000)} KB`);
}

await mkdir(folder, { recursive: true });
const [...names] = process.argv.slice(2);
for (const [name, picture] of Object.entries(pictures)) {
  if (names.length === 0 || names.includes(name)) await take(name, picture);
}
