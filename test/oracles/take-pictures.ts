/**
 * Keeps pictures of every page in a folder, in four widths and two colour schemes, for people to look
 * at: `bun test/oracles/take-pictures.ts FOLDER [--only NAMES] [--width PIXELS] [--scheme light|dark]`.
 * `--only` takes the pictures of these names, separated by commas.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { createTestOAuthClient } from "../support/oauth-fixture.ts";
import { findChromium, startChromium } from "./support/chromium.ts";
import { openSession } from "./support/open-app.ts";
import { listPagePictures, type PagePicture } from "./support/page-pictures.ts";
import { openSampleHub } from "./support/sample-hub.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: "string", default: "" },
    width: { type: "string" },
    scheme: { type: "string" },
  },
});
const [folder] = positionals;
const executable = findChromium();
if (folder === undefined || executable === null) {
  console.error("Usage: bun test/oracles/take-pictures.ts FOLDER, on a machine with Chromium");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });

type Look = { width: number; colorScheme: "light" | "dark" };

const looks = [360, 768, 1280, 1920]
  .flatMap((width): Look[] => [
    { width, colorScheme: "light" },
    { width, colorScheme: "dark" },
  ])
  .filter(({ width }) => options.width === undefined || width === Number(options.width))
  .filter(({ colorScheme }) => options.scheme === undefined || colorScheme === options.scheme);

await using owned = new AsyncDisposableStack();
const browser = await startChromium(executable);
owned.defer(() => browser.close());
const main = join(import.meta.dirname, "../support/form-hub.ts");
const sample = owned.use(await openSampleHub({ main }));
const email = "luis.ortega@example.com";
const made = await sample.hub.cli("user", "password", email, "--json");
const { one_time_password: password } = made.json<{ one_time_password: string }>();
const user = await openSession(sample.base, { email, password });

const client = createTestOAuthClient(sample.base);
async function toConsent(name: string, redirectUri: string): Promise<string> {
  const id = await client.register({ redirect_uris: [redirectUri], client_name: name });
  return client.toAuthorizeUrl(id, { redirect_uri: redirectUri });
}
const pictures = await listPagePictures(sample, {
  consent: await toConsent("Claude Code", "http://127.0.0.1:51999/callback"),
  consentOfApp: await toConsent("Cursor", "cursor://anysphere.cursor-mcp/oauth/callback"),
});

async function take(picture: PagePicture, { width, colorScheme }: Look): Promise<void> {
  const cookies = { admin: sample.admin, user, guest: { cookies: [] } }[picture.as ?? "admin"]
    .cookies;
  await using used = new AsyncDisposableStack();
  const viewport = { width, height: picture.height ?? 900 };
  const context = await browser.newContext({ colorScheme, viewport });
  used.defer(() => context.close());
  context.setDefaultTimeout(15_000);
  await context.addCookies(cookies);
  const page = await context.newPage();
  await picture.before?.(page);
  const url = picture.path.startsWith("http") ? picture.path : `${sample.base}${picture.path}`;
  await page.goto(url);
  if (picture.isLoading !== true) {
    await page.waitForSelector("h1");
    await page.waitForLoadState("networkidle");
  }
  await picture.act?.(page);
  await page.evaluate("document.fonts.ready");
  const file = `${picture.name}-${width}-${colorScheme}.png`;
  await page.screenshot({
    path: join(folder ?? "", file),
    fullPage: picture.isWindow !== true,
    animations: "disabled",
  });
}

const names = options.only.split(",").filter(Boolean);
const wanted = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
for (const picture of wanted) {
  try {
    await picture.prepare?.();
    await Promise.all(
      [0, 1].map(async (part) => {
        for (const [at, look] of looks.entries()) if (at % 2 === part) await take(picture, look);
      }),
    );
  } catch (error) {
    console.error(`${picture.name}: ${error}`);
    process.exitCode = 1;
  } finally {
    await picture.undo?.();
  }
}
