/**
 * Calls plugins whose programs write to their output without end, or send events of a call without end. Prints for each how long the event loop's thread worked
 * in one go, all processor time and the memory: `bun scripts/attacks/hostile-plugin.ts [--only TEXT] [--hub CHECKOUT]`.
 * The exit code is 1 if one exceeds the law of `request-cost/law.ts`. Linux only, about a minute.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { craftPlugin, toMembers } from "@hub/server/plugins/testing/craft-plugin.ts";
import { craftZip } from "@hub/server/plugins/testing/craft-zip.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { type AuthorFolder, openAuthorFolder } from "../../test/support/make-plugin.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { createJudge } from "./support/judge.ts";
import { startWatchedHub } from "./support/watched-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));

/** Shell scripts, by the key of their plugin. */
const programs: { [key: string]: string } = {
  short_lines: "exec yes y >&2",
  lines: `exec yes ${"line ".repeat(40)} >&2`,
  stdout: "exec yes 1",
  json: `exec yes '{"@level":"info","@message":"m","list":[1,2,3,4,5,6,7,8,9,10]}' >&2`,
  numbers: "exec seq 1 1000000000 >&2",
  no_line: "exec tr '\\\\0' x </dev/zero >&2",
  empty_lines: "exec yes '' >&2",
};

await using watched = await startWatchedHub({ main: join(checkout, "packages/cli/src/hub.ts") });
const { hub } = watched;
const folder = mkdtempSync(join(tmpdir(), "hub-attack-"));
const judge = createJudge(watched, flags.only);
for (const [name, script] of Object.entries(programs)) {
  if (!name.includes(flags.only)) continue;
  const key = name.replace("_", "");
  const program = `#!/bin/sh\n${script}\n`;
  const module = {
    Meta: { Key: key, Name: key, Description: "Attacks.", Icon: "bug" },
    Configs: [],
    Operations: [
      { Title: "", Ops: [{ Key: "echo", Name: "Echo", Description: "Echo.", Input: null }] },
    ],
    OAuth: null,
  };
  const manifest = { os_arch: [findHostPlatform()], module: Object(module) };
  const archive = join(folder, `${key}.zip`);
  writeFileSync(archive, craftZip(toMembers(craftPlugin({ key, program, manifest }))));
  await hub.cli("plugin", "install", archive);
  const { id } = (await hub.cli("row", "add", key, "--label", key, "--json")).json<{
    id: string;
  }>();
  const before = hub.stderr().length;
  // Ten seconds of a program that writes as fast as its pipe is read.
  await judge.attack(name, { bytes: 0, requests: 30 }, async () => {
    const controller = new AbortController();
    const frame = toToolCall("hub_execute", { tool_id: `conn:${id}/echo`, params: {} });
    const answer = await Promise.race([
      postRpc(hub.url, hub.adminToken(), frame, {}).then((response) => response.text()),
      Bun.sleep(10_000).then(() => "waits"),
    ]);
    controller.abort();
    return `${hub.stderr().length - before} characters logged; ${answer.slice(-200)}`;
  });
  await hub.tryCli(["plugin", "remove", key, "--yes"]);
}
rmSync(folder, { recursive: true });

const author = await openAuthorFolder();
const archive = await buildFixture(author);
await hub.cli("plugin", "install", archive);
const { id } = (await hub.cli("row", "add", "flood", "--label", "Flood", "--json")).json<{
  id: string;
}>();
for (const operation of ["progress", "long_progress", "logs", "masks", "stack", "messages"]) {
  await judge.attack(`calls ${operation}`, { bytes: 16 * 1024 * 1024 }, async () => {
    const frame = toToolCall("hub_execute", { tool_id: `conn:${id}/${operation}`, params: {} });
    const withToken = { ...frame, params: { ...frame.params, _meta: { progressToken: 1 } } };
    const text = await (await postRpc(hub.url, hub.adminToken(), withToken, {})).text();
    return `${text.length} characters: ${text.slice(-150)}`;
  });
}
judge.end();
await author[Symbol.asyncDispose]();
// An exit does not wait for what is disposed of at the end.
await watched[Symbol.asyncDispose]();
process.exit();

/** Builds the plugin of `support/flood-plugin.ts` as a script. */
async function buildFixture({ path, buildScript }: AuthorFolder): Promise<string> {
  const main = JSON.stringify(join(import.meta.dirname, "support/flood-plugin.ts"));
  await mkdir(join(path, "flood/src"), { recursive: true });
  await writeFile(join(path, "flood/src/main.ts"), `import ${main};\n`);
  await writeFile(join(path, "flood/package.json"), '{ "version": "1.0.0" }');
  return await buildScript("flood");
}
