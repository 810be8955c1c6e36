import { readdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Bench, Measure, Row, Target } from "../measure.ts";
import { median } from "../statistics.ts";
import { createHubFolder } from "../subjects/hub-folder.ts";
import { type HubCommand, timeInitialize, timeServe } from "../subjects/time-start.ts";

const root = resolve(import.meta.dirname, "../..");
const sources = join(root, "packages/cli/src");

type Form = { name: string; command: HubCommand; isOneFile: boolean };
type Start = {
  what: string;
  target: Target;
  time: (command: HubCommand, dataDir: string) => Promise<number>;
};

const starts: readonly Start[] = [
  { what: "hub serve to first answer", target: { atMost: 200 }, time: timeServe },
  { what: "hub mcp serve to initialize", target: { atMost: 120 }, time: timeInitialize },
];

/**
 * The starts of the one file beside those of a checkout, from its bundle and from its sources, in turns on one used
 * folder. As root on Linux, also with the files of the program no longer in memory, as after a restart of
 * the machine.
 */
export const forms: Measure = {
  name: "forms",
  async run(bench: Bench) {
    const { dataDir } = await createHubFolder(bench);
    const compared: Form[] = [
      { name: "one file", command: [await buildOneFile(bench)], isOneFile: true },
      { name: "bundle", command: [process.execPath, join(sources, "hub.ts")], isOneFile: false },
      {
        name: "sources",
        command: [process.execPath, join(sources, "hub-main.ts")],
        isOneFile: false,
      },
    ];
    const rows: Row[] = [];
    for (const isCold of (await dropCaches()) ? [false, true] : [false]) {
      for (const start of starts) {
        rows.push(
          ...(await compareForms(compared, { start, dataDir, isCold, count: bench.plan.starts })),
        );
      }
    }
    return rows;
  },
};

type Comparison = { start: Start; dataDir: string; isCold: boolean; count: number };

async function compareForms(
  compared: readonly Form[],
  { start, dataDir, isCold, count }: Comparison,
): Promise<Row[]> {
  const tookMs = new Map(compared.map(({ name }) => [name, [] as number[]]));
  for (let round = 0; round < count; round += 1) {
    for (const { name, command } of compared) {
      if (isCold) await dropCaches();
      tookMs.get(name)?.push(await start.time(command, dataDir));
    }
  }
  return compared.map(({ name, isOneFile }) => {
    const took = tookMs.get(name) ?? [];
    return {
      what: `${start.what}, ${name}${isCold ? ", read from the disk" : ""}`,
      value: median(took),
      unit: "ms",
      target: isOneFile ? start.target : null,
      details: { fastest_ms: Math.min(...took), slowest_ms: Math.max(...took) },
    };
  });
}

async function buildOneFile(bench: Bench): Promise<string> {
  const out = await bench.createFolder();
  const target = `${process.platform}-${process.arch}`;
  bench.say(`builds the one file for ${target}`);
  const build = [process.execPath, join(root, "scripts/build.ts"), "--out", out, target];
  const { success, stderr } = Bun.spawnSync(build, { cwd: root, stdout: "ignore" });
  if (!success) throw new Error(`The one file cannot be built: ${stderr}`);
  const name = (await readdir(out)).find(
    (file) => file.startsWith("hub-") && file.endsWith(target),
  );
  if (name === undefined) throw new Error("The build wrote no program.");
  return join(out, name);
}

/** Lets the system forget the files that it has in memory. False where this process may not. */
async function dropCaches(): Promise<boolean> {
  try {
    await writeFile("/proc/sys/vm/drop_caches", "3");
    return true;
  } catch {
    return false;
  }
}
