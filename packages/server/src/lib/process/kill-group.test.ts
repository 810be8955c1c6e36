/** Protects: no process is ended that has the pid of a program which has ended. */
import { expect, test } from "bun:test";
import { isRunning, waitUntil } from "../testing/wait-until.ts";
import { killGroup, toLeader } from "./kill-group.ts";
import { findProcess } from "./process-identity.ts";

const isUnix = process.platform !== "win32";

test.skipIf(!isUnix)("A group of another start time is not ended", async () => {
  const child = Bun.spawn(["sleep", "60"], { detached: true });
  const leader = toLeader(child.pid);
  for (const startedAt of ["1", null])
    expect(killGroup({ ...leader, startedAt }, "SIGKILL")).toBe(false);
  expect(isRunning(child.pid)).toBe(true);
  expect(killGroup(leader, "SIGKILL")).toBe(true);
  await child.exited;
  expect(killGroup(leader, "SIGKILL")).toBe(false);
});

test.skipIf(!isUnix)("What a leader has started in its group ends after it", async () => {
  const child = Bun.spawn(["sh", "-c", "sleep 60 >/dev/null & echo $!"], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const leader = toLeader(child.pid);
  const left = Number(await child.stdout.text());
  await child.exited;
  expect(findProcess(left)).not.toBeNull();
  expect(killGroup(leader, "SIGKILL")).toBe(true);
  await waitUntil(() => !isRunning(left));
});
