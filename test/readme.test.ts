import { expect, setDefaultTimeout, test } from "bun:test";
import { resolve } from "node:path";
import { toProgramCommand } from "./support/compile-programs.ts";
import {
  readConsoleSteps,
  removeVariableParts,
  writeConsoleOutputs,
} from "./support/console-blocks.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { findFreePort } from "./support/free-port.ts";
import { buildPluginCatalog } from "./support/plugin-catalog.ts";
import { hubMain, toHubEnv } from "./support/run-cli.ts";
import { startHub } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";

const readmePath = resolve(import.meta.dirname, "../README.md");
const isUpdate = process.env.UPDATE_README === "1";
const shownToken = "hub_pat_0123456789abcdef0123456789abcdef";
const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

const hub = toProgramCommand(hubMain)
  .map((word) => `"${word}"`)
  .join(" ");
/** `npx` as it is in a checkout, without its start-up time. */
const npx = `npx() { local name="$1"; shift; case "$name" in hub) ${hub} "$@";; *) "$BUN" "$@";; esac; }`;

setDefaultTimeout(180_000);

// With UPDATE_README=1 the outputs are written into README.md; otherwise they must stand there.
test("the README's tour is what the program prints", async () => {
  await using stack = new AsyncDisposableStack();
  const readme = await Bun.file(readmePath).text();
  const [start, ...steps] = readConsoleSteps(readme);
  expect(start?.command).toBe("npm start");

  const shop = stack.use(await createDataFolder());
  const catalog = await buildPluginCatalog(["codehost", "logs"], shop.path, "thin");
  const env = { HUB_PLUGIN_CATALOG: catalog };
  const hub = stack.use(await startHub({ env: { ...env, npm_command: "start" } }));
  // Columns are as wide as what stands in them, so the written ones are made with the port shown.
  const apiPort = isUpdate ? 4000 : await findFreePort();
  const toReal = (text: string) =>
    text
      .replaceAll("localhost:7420", `localhost:${hub.port}`)
      .replaceAll("4000", `${apiPort}`)
      .replaceAll(shownToken, hub.adminToken());
  const toShown = (text: string) =>
    text
      .replaceAll(`:${hub.port}`, ":7420")
      .replaceAll(hub.dataDir, "/home/ada/hub/.hub")
      .replaceAll(`:${apiPort}`, ":4000")
      .replaceAll(hub.adminToken(), shownToken);

  const exports: string[] = [];
  const spawnStep = (command: string) =>
    Bun.spawn(["bash", "-c", [npx, ...exports, command].join("\n")], {
      env: {
        ...toHubEnv({ dataDir: hub.dataDir, env }),
        BUN: process.execPath,
        npm_command: "exec",
      },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "inherit",
    });

  const outputs = [shortenStart(toShown(hub.stdout()))];
  // A row's id in a command is the one that an earlier output showed.
  const ids: Array<{ shown: string; real: string }> = [];
  for (const step of steps) {
    const command = ids.reduce(
      (text, { shown, real }) => text.replaceAll(shown, real),
      toReal(step.command),
    );
    if (command.endsWith("&")) {
      const api = spawnStep(command.replace(/&$/, "").replace("npx bun", 'exec "$BUN"'));
      stack.defer(async () => {
        api.kill();
        await api.exited;
      });
      await waitFor(() =>
        fetch(`http://localhost:${apiPort}`).then(
          () => true,
          () => false,
        ),
      );
      outputs.push("");
      continue;
    }
    if (command.startsWith("export ")) exports.push(command);
    const shell = spawnStep(command);
    const output = (await shell.stdout.text()).trimEnd();
    await shell.exited;
    const real = output.match(uuid) ?? [];
    for (const [place, shown] of (step.output.match(uuid) ?? []).entries()) {
      const match = real[place];
      if (match !== undefined) ids.push({ shown, real: match });
    }
    const shown = ids.reduce((text, id) => text.replaceAll(id.real, id.shown), toShown(output));
    outputs.push(shown === "" ? "" : `${shown}\n`);
  }

  if (isUpdate) {
    await Bun.write(readmePath, writeConsoleOutputs(readme, outputs));
    return;
  }
  const shown = [start, ...steps].map((step) => removeVariableParts(step?.output ?? ""));
  expect(outputs.map(removeVariableParts)).toEqual(shown);
});

/** Leaves out the entry for stdio, which names folders of this machine. */
function shortenStart(text: string): string {
  return `${text.slice(0, text.indexOf("Clients on this machine"))}…\n`;
}
