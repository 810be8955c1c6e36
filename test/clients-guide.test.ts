/** The guide for makers of clients is correct: its requests get the answers that it shows. */
import { setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { runGuide } from "./support/run-guide.ts";
import { answerAsShop } from "./support/shop-api.ts";
import { startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const guide = resolve(import.meta.dirname, "../docs/guide/clients-and-prompts.md");

test("Every request of the guide gets the answer that the guide shows", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = owned.use(await startHub());
  const api = Bun.serve({ port: 0, fetch: answerAsShop });
  owned.defer(() => api.stop(true));
  const base = `http://localhost:${api.port}`;
  const values = ["--set", `document_url=${base}/openapi.json`, "--set", `base_url=${base}`];
  for (const command of [
    ["user", "add", "ada@example.com", "--tag", "shop"],
    ["row", "add", "openapi", "--label", "Shop", "--tag", "shop", ...values],
    ["bridge", "discover", "Shop"],
    ["bridge", "approve", "Shop", "--all"],
    ["op", "reads", "Shop", "--all"],
  ]) {
    const { exitCode, stderr } = await hub.cli(...command);
    if (exitCode !== 0) throw new Error(`${command.join(" ")}: ${stderr}`);
  }
  await runGuide({ guide: await Bun.file(guide).text(), hub, outsidePort: Number(api.port) });
});
