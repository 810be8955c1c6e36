/** The guide to choosing a connector: its commands for files run with the real server from npm. */
import { setDefaultTimeout, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { createDataFolder } from "../support/data-folder.ts";
import { runGuide } from "../support/run-guide.ts";
import { startHub } from "../support/start-hub.ts";

setDefaultTimeout(180_000);

const guidePath = resolve(import.meta.dirname, "../../docs/guide/which-connector.md");
const programs = resolve(import.meta.dirname, "node_modules/.bin");

test("Every command of the guide prints the output that the guide shows", async () => {
  await using owned = new AsyncDisposableStack();
  const files = owned.use(await createDataFolder());
  await writeFile(join(files.path, "hello.txt"), "hello\n");
  const hub = owned.use(await startHub());
  const guide = (await Bun.file(guidePath).text())
    .replaceAll("/opt/mcp/node_modules/.bin", programs)
    .replaceAll("/srv/files", files.path);
  await runGuide({ guide, hub, outsidePort: 0 });
});
