/** Protects: programs in common languages work under the fence's limits, and one that takes memory without end does not. */
import { expect, setDefaultTimeout, test } from "bun:test";
import { greedySource, triedPrograms } from "../scripts/fence-programs/programs.ts";
import { openTrial } from "../scripts/fence-programs/try-programs.ts";

setDefaultTimeout(180_000);

const isLinux = process.platform === "linux";
const defaults = { memoryBytes: null, dataBytes: 8 * 1024 ** 3, tasks: 4096 };
const hasPython = Bun.which("python3") !== null;

const common = triedPrograms.filter(({ name }) => ["Node", "Bun", "Python"].includes(name));

test("Three common languages are tried", () => expect(common).toHaveLength(3));

for (const program of common) {
  test.skipIf(!isLinux || Bun.which(program.needs) === null)(
    `A program of ${program.name} works under the fence's limits`,
    async () => {
      using trial = openTrial(defaults);
      const { stdout, stderr } = await trial.try(program);
      expect(stdout, stderr).toBe("works\n");
    },
  );
}

test.skipIf(!isLinux || !hasPython)(
  "A program that takes memory without end is stopped or refused, and others are not touched",
  async () => {
    const bytes = 512 * 1024 ** 2;
    using trial = openTrial({ memoryBytes: bytes, dataBytes: bytes, tasks: 0 });
    trial.write("greedy.py", greedySource);
    const { stdout, stderr, signal } = await trial.run(["python3", "greedy.py"]);
    const isByGroup = trial.fence.findState().limits?.memory?.by === "group";
    expect(isByGroup ? signal : stdout, stderr).toBe(isByGroup ? "SIGKILL" : "refused\n");
  },
);

test.skipIf(!isLinux)(
  "A program's limits are those that the fence names, with the launcher gone",
  async () => {
    using trial = openTrial(defaults);
    const script =
      "grep -E 'Max (data|address|processes)' /proc/self/limits; cat /proc/self/oom_score_adj";
    const { stdout } = await trial.run(["sh", "-c", script]);
    const isByData = trial.fence.findState().limits?.memory?.by === "data";
    if (isByData) expect(stdout).toMatch(/Max data size +8589934592 +8589934592/);
    expect(stdout).toMatch(/Max address space +unlimited/);
    expect(Number(stdout.trim().split("\n").at(-1))).toBeGreaterThanOrEqual(500);
  },
);

test.skipIf(!isLinux || process.getuid?.() !== 0)(
  "The programs of a user for programs have a limited number of processes together",
  async () => {
    const uid = 54_321;
    using trial = openTrial({ memoryBytes: 0, dataBytes: 0, tasks: 16 }, `${uid}:${uid}`);
    Bun.spawnSync(["chmod", "755", `${trial.parent}`]);
    const script =
      "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do sleep 1 >/dev/null & done; echo all";
    const { stdout, stderr } = await trial.run(["sh", "-c", script]);
    expect(stdout).not.toContain("all");
    expect(stderr).toMatch(/fork/i);
  },
);
