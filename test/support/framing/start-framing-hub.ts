import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { openAuthorFolder } from "../make-plugin.ts";
import { type RunningHub, startHub } from "../start-hub.ts";

/** Workflows may send requests to this machine. */
export const framingEnv = {
  HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1",
  HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0",
};

/** A hub with the plugin `framing`. */
export async function startFramingHub(owned: AsyncDisposableStack): Promise<RunningHub> {
  const author = owned.use(await openAuthorFolder());
  const folder = join(author.path, "framing");
  const main = JSON.stringify(join(import.meta.dirname, "../framing-plugin.ts"));
  await mkdir(join(folder, "src"), { recursive: true });
  await writeFile(join(folder, "src/main.ts"), `import ${main};\n`);
  await writeFile(join(folder, "package.json"), '{ "version": "1.0.0" }');
  const hub = owned.use(await startHub({ env: framingEnv }));
  await hub.cli("plugin", "install", await author.buildScript("framing"));
  return hub;
}
