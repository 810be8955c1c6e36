/**
 * Makes the packages for npm, in `dist/npm`: `npm run pack`. `--out FOLDER` replaces the folder, `--draft` compresses the app
 * less. `--publish` publishes them, in an order in which each finds those that it needs; `--dry-run` with it sends nothing.
 * In a clean tree, the build time is that of the commit, and the same commit gives the same bytes.
 */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { installTracing } from "./install-tracing.ts";
import { stagePackages } from "./pack/stage-packages.ts";
import { readMaintainers } from "./read-maintainers.ts";

const root = resolve(import.meta.dirname, "..");
const { values: options } = parseArgs({
  options: {
    out: { type: "string", default: join(root, "dist", "npm") },
    draft: { type: "boolean", default: false },
    publish: { type: "boolean", default: false },
    "dry-run": { type: "boolean", default: false },
  },
});

// Before the work of a minute.
const empty = Object.entries(await readMaintainers(root)).filter(([, { length }]) => length === 0);
if (options.publish && empty.length > 0) {
  const names = empty.map(([name]) => name).join(", ");
  console.error(
    `These members of maintainers.json are empty: ${names}. Fill them in, and run bun scripts/write-package-metadata.ts.`,
  );
  process.exit(2);
}
installTracing(root);
const out = resolve(options.out);
const draft = await mkdtemp(join(tmpdir(), "hub-pack-"));
try {
  await rm(out, { recursive: true, force: true });
  await mkdir(out, { recursive: true });
  const builtMs = readBuildTime();
  const folders = await stagePackages({
    root,
    out: draft,
    builtMs,
    brotliQuality: options.draft ? 5 : 11,
  });
  const packed: Array<{ filename: string }> = JSON.parse(
    run(["npm", "pack", "--json", "--pack-destination", out, ...folders]),
  );
  const files = packed.map(({ filename }) => join(out, filename));
  for (const file of files) console.error(file);
  const flags = ["--access", "public", ...(options["dry-run"] ? ["--dry-run"] : [])];
  for (const file of options.publish ? files : []) run(["npm", "publish", file, ...flags]);
} finally {
  await rm(draft, { recursive: true, force: true });
}

function readBuildTime(): number {
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: root, stderr: "ignore" })
      .stdout.toString()
      .trim();
  const committed = Number(git("log", "-1", "--format=%ct"));
  const isClean = committed > 0 && git("status", "--porcelain") === "";
  if (!isClean) console.error("The tree has changes, so the build time is now.");
  return isClean ? committed * 1000 : Date.now();
}

function run(command: string[]): string {
  const child = Bun.spawnSync(command, { cwd: root, stderr: "pipe" });
  if (!child.success) throw new Error(`${command.slice(0, 2).join(" ")} failed: ${child.stderr}`);
  return child.stdout.toString();
}
