/** The programs of a test end with its process, however that ends: they do not take processor time from the runs after. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { startCommandProcess } from "./support/command-process.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { isRunning } from "./support/script-processes.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

const isLinux = process.platform === "linux";

test.skipIf(!isLinux)("A hub ends when the process of its test is killed", async () => {
  await using folder = await createDataFolder();
  const support = join(import.meta.dirname, "support/start-hub.ts");
  const source = `
    const { startHub } = await import(${JSON.stringify(support)});
    const options = { dataDir: ${JSON.stringify(folder.path)} };
    const ended = await startHub(options);
    await ended.stop();
    const { pid } = await startHub(options);
    console.log(pid);
    await new Promise(() => setInterval(() => {}, 60_000));`;
  const runner = Bun.spawn([process.execPath, "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const { value } = await runner.stdout.getReader().read();
  const pid = Number(new TextDecoder().decode(value));
  expect([pid > 0, isRunning(pid)]).toEqual([true, true]);
  runner.kill("SIGKILL");
  await runner.exited;
  await waitFor(() => !isRunning(pid));
});

test.skipIf(!isLinux)(
  "A process that runs commands is replaced after it has ended while it was idle",
  async () => {
    await using folder = await createDataFolder();
    await using commands = startCommandProcess({ dataDir: folder.path });
    const run = async () => (await commands.run({ argv: ["version"] })).exitCode;
    const before = new Set(await listRunners());
    expect(await run()).toBe(0);
    // Those of other tests of this process may have run it.
    const runners = await listRunners();
    expect(runners.length).toBeGreaterThan(0);
    const mine = runners.filter((pid) => !before.has(pid));
    for (const pid of mine.length > 0 ? mine : runners) {
      process.kill(pid, "SIGKILL");
      // This process has then seen its end.
      await waitFor(() => !existsSync(`/proc/${pid}`));
    }
    expect(await run()).toBe(0);
  },
);

/** The processes that run commands for this one. */
async function listRunners(): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const [stat, command] = await Promise.all([
          readFile(`/proc/${pid}/stat`, "utf8"),
          readFile(`/proc/${pid}/cmdline`, "utf8"),
        ]);
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return parent === process.pid && command.includes("command-runner") ? Number(pid) : [];
      } catch {
        return [];
      }
    }),
  );
  return found.flat();
}
