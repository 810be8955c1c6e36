import { readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { readConsoleSteps } from "./console-blocks.ts";

const guide = resolve(import.meta.dirname, "../../docs/guide/upgrade.md");
const shownFolder = "/var/lib/hub";

/** Takes a SQLite data folder back to the copy before its upgrade, by the commands of docs/guide/upgrade.md. */
export async function goBackByGuide(dataDir: string): Promise<void> {
  const text = await Bun.file(guide).text();
  const [, section = ""] = text.split("### On SQLite\n");
  const steps = readConsoleSteps(section.split("\n### ")[0] ?? "");
  const shownCopy = /before-[\w.-]+\.tar\.gz/.exec(section)?.[0] ?? "";
  const [copy = "", ...others] = readdirSync(join(dataDir, "upgrade-copies"));
  if (steps.length !== 4 || copy === "" || others.length > 0) {
    throw new Error(
      `The guide has ${steps.length} steps, and there are ${others.length + 1} copies.`,
    );
  }
  const toReal = (shown: string) =>
    shown.replaceAll(shownFolder, dataDir).replaceAll(shownCopy, copy);
  for (const { command, output } of steps) {
    const { exitCode, stdout, stderr } = Bun.spawnSync(["bash", "-c", toReal(command)]);
    if (exitCode !== 0 || stdout.toString().trim() !== toReal(output).trim()) {
      throw new Error(`${command}: ${stdout} ${stderr}`);
    }
  }
}
