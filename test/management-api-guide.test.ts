/** The guide to the management API is correct: its commands run, and their output matches the guide. */
import { setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { createDataFolder } from "./support/data-folder.ts";
import { buildPluginCatalog } from "./support/plugin-catalog.ts";
import { runGuide } from "./support/run-guide.ts";
import { startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const guide = resolve(import.meta.dirname, "../docs/guide/management-api.md");

test("Every command of the guide prints the output that the guide shows", async () => {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await createDataFolder());
  const catalog = await buildPluginCatalog(["logs"], folder.path, "thin");
  const hub = owned.use(await startHub({ isHere: true, env: { HUB_PLUGIN_CATALOG: catalog } }));
  const api = Bun.serve({
    port: 0,
    fetch: (req) => Response.json({ seen: req.headers.get("authorization") }),
  });
  owned.defer(() => api.stop(true));

  const text = await Bun.file(guide).text();
  await runGuide({ guide: text, hub, outsidePort: Number(api.port) });
});
