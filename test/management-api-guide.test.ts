/** The guide to the management API is correct: its commands run, and their output matches the guide. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { readConsoleSteps, removeVariableParts } from "./support/console-blocks.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { buildPluginCatalog } from "./support/plugin-catalog.ts";
import { hubMain } from "./support/run-cli.ts";
import { startHub } from "./support/start-hub.ts";
import { toDatabaseEnv } from "./support/test-database.ts";

setDefaultTimeout(120_000);

const guide = resolve(import.meta.dirname, "../docs/guide/management-api.md");
const shownToken = "hub_pat_0123456789abcdef0123456789abcdef";
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

test("Every command of the guide prints the output that the guide shows", async () => {
  await using owned = new AsyncDisposableStack();
  const folder = owned.use(await createDataFolder());
  const catalog = await buildPluginCatalog(["logs"], folder.path);
  const hub = owned.use(await startHub({ env: { HUB_PLUGIN_CATALOG: catalog } }));
  const api = Bun.serve({
    port: 0,
    fetch: (req) => Response.json({ seen: req.headers.get("authorization") }),
  });
  owned.defer(() => api.stop(true));

  const exported: string[] = [];
  // Ids in a command are replaced by the ids of earlier answers.
  const ids = new Map<string, string>();
  const toReal = (command: string) =>
    [...ids].reduce((text, [shown, real]) => text.replaceAll(shown, real), command);
  let token = "";
  for (const { command, output } of readConsoleSteps(await Bun.file(guide).text())) {
    const real = toReal(command)
      .replaceAll("npx hub", `${process.execPath} ${hubMain}`)
      .replaceAll("http://localhost:7420", hub.url)
      .replaceAll("http://localhost:4000", `http://localhost:${api.port}`)
      .replaceAll(shownToken, token);
    if (output.trim() === "") {
      exported.push(real);
      continue;
    }
    const shell = Bun.spawn(["bash", "-c", [...exported, real].join("\n")], {
      env: { ...process.env, HUB_DATA_DIR: hub.dataDir, ...toDatabaseEnv(hub.dataDir) },
      stdin: "ignore",
      stdout: "pipe",
    });
    const own = `http://localhost:${hub.port}`;
    const answer = (await shell.stdout.text()).replaceAll(own, "http://localhost:7420");
    token = /hub_pat_[0-9a-f]{32}/.exec(answer)?.[0] ?? token;
    const [shownId] = output.match(uuid) ?? [];
    const [realId] = answer.match(uuid) ?? [];
    if (shownId !== undefined && realId !== undefined) ids.set(shownId, realId);
    expect([command, removeVariableParts(answer)]).toEqual([
      command,
      expect.stringMatching(toPattern(output)),
    ]);
  }
});

/** `…` matches any text. */
function toPattern(output: string): RegExp {
  const parts = output
    .trim()
    .split("…")
    .map((part) => RegExp.escape(removeVariableParts(part)));
  return new RegExp(`^${parts.join("[^]*")}$`);
}
