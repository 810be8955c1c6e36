import { expect, test } from "bun:test";
import { toLeader } from "../../lib/process/kill-group.ts";
import { isRunning, waitUntil } from "../../lib/testing/wait-until.ts";
import { findDoubleFork, startDoubleFork } from "../testing/double-fork.ts";
import { createWatchdog } from "./watchdog.ts";

test.each([
  ["a shell", "/bin/sh"],
  ["no shell", "/nowhere/sh"],
])("The plugins that remain end with the hub, on a system with %s", async (_, shell) => {
  const sleepers = [1, 2, 3, 4].map(() => Bun.spawn(["sleep", "60"], { detached: true }));
  const [kept, forgotten, last, other] = sleepers.map(({ pid }) => pid);
  if (!kept || !forgotten || !last || !other) throw new Error("none");
  try {
    const watchdog = createWatchdog("none.", shell);
    for (const pid of [kept, forgotten, last]) watchdog.watch(toLeader(pid));
    watchdog.forget(toLeader(forgotten));
    // A pid that the system has given again belongs to another program.
    watchdog.watch({ pid: other, startedAt: "1" });
    // As when the hub dies, the pipe closes.
    await watchdog.stop();
    await waitUntil(() => !isRunning(kept) && !isRunning(last));
    expect([forgotten, other].map(isRunning)).toEqual([true, true]);
  } finally {
    for (const sleeper of sleepers) sleeper.kill("SIGKILL");
  }
});

test.skipIf(process.platform !== "linux").each(["/bin/sh", "/nowhere/sh"])(
  "A program that has left its group and parent ends with the hub (shell: %s)",
  async (shell) => {
    const mark = `${crypto.randomUUID()}.`;
    const pid = await startDoubleFork(`${mark}1.`);
    const other = await startDoubleFork(`${crypto.randomUUID()}.1.`);
    await createWatchdog(mark, shell).stop();
    await waitUntil(() => !findDoubleFork(pid));
    expect(findDoubleFork(other)).toBe(true);
    process.kill(other, "SIGKILL");
  },
);
