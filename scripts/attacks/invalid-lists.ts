/**
 * Lists of a million invalid items where a schema expects objects or texts: the catalog of a registry of plugins, the
 * metadata of an authorization server, a registration of a client. Prints what each costs:
 * `bun scripts/attacks/invalid-lists.ts [--only TEXT] [--hub CHECKOUT]`. The exit code is 1 if one exceeds the law of
 * `request-cost/law.ts`. Linux only, about a minute.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openBridgeAdmin } from "../../test/support/bridges/bridge-admin.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));

const repeat = (item: string, bytes: number) =>
  `[${Array(Math.floor(bytes / (item.length + 1)))
    .fill(item)
    .join(",")}]`;
const entry = JSON.stringify({
  key: "a",
  name: "A",
  description: "",
  version: "1.0.0",
  assets: { "linux/amd64": "a.zip" },
});
const catalogBytes = 4_000_000;
const catalogs: { [name: string]: string } = {
  zeros: repeat("0", catalogBytes),
  empty_objects: repeat("{}", catalogBytes),
  entries: repeat(entry, catalogBytes),
  tags: `[${entry.replace("}}", `},"default_tags":${repeat("0", catalogBytes - 500)}}`)}]`,
  platforms: `[${entry.replace(
    '"linux/amd64":"a.zip"',
    Array.from({ length: 300_000 }, (_, at) => `"p${at}":1`).join(),
  )}]`,
  nested: "[".repeat(catalogBytes / 2),
};
let catalog = "";
using server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response(catalogs[catalog] ?? "[]"),
});

await using watched = await startWatchedHub({
  main: join(checkout, "packages/cli/src/hub.ts"),
  env: { HUB_PLUGIN_CATALOG: `http://127.0.0.1:${server.port}/plugins.json` },
});
const { hub } = watched;
const admin = await openBridgeAdmin(hub);
const judge = createJudge(watched, flags.only);
for (const [name, text] of Object.entries(catalogs)) {
  catalog = name;
  await judge.attack(`catalog of ${name}`, { bytes: text.length }, async () =>
    JSON.stringify(await admin.send("GET", "/manager/api/plugins/catalog")).slice(0, 300),
  );
}
const register = async (body: string) => {
  const response = await fetch(`${hub.url}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body,
  });
  return `${response.status} ${await response.text()}`;
};
for (const bytes of [60_000, 250_000, 1_000_000]) {
  await judge.attack(`registration of ${bytes} bytes`, { bytes }, () =>
    register(`{"redirect_uris":${repeat("0", bytes)}}`),
  );
}
judge.end();
