import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFileLocks } from "./instance-locks.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-locks-"));
});
afterEach(() => rm(dataDir, { recursive: true }));

const listLocks = () => readdir(join(dataDir, "instances"));

test("A lock is held until it is released, and then removed", async () => {
  const locks = createFileLocks(dataDir);
  const id = crypto.randomUUID();
  expect(await locks.isHeld(id)).toBeNull();
  const release = await locks.hold(id);
  // Twice: the check must not take the lock.
  expect(await locks.isHeld(id)).toBe(true);
  expect(await createFileLocks(dataDir).isHeld(id)).toBe(true);
  expect(await listLocks()).toEqual([id]);
  await release();
  expect([await locks.isHeld(id), await listLocks()]).toEqual([null, []]);
});

test("The lock of a killed process is free", async () => {
  const id = crypto.randomUUID();
  await dieWithLock(id);
  const locks = createFileLocks(dataDir);
  expect(await locks.isHeld(id)).toBe(false);
  await locks.remove(id);
  await locks.remove(id);
  expect(await locks.isHeld(id)).toBeNull();
});

test("A sweep removes old locks that are neither held nor known", async () => {
  const [left, known, held] = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
  await dieWithLock(left);
  await dieWithLock(known);
  const locks = createFileLocks(dataDir);
  const release = await locks.hold(held);
  await locks.sweep(new Set([known]), 0);
  expect(await listLocks()).toHaveLength(3);
  await locks.sweep(new Set([known]), Number.POSITIVE_INFINITY);
  expect((await listLocks()).sort()).toEqual([known, held].sort());
  await release();
});

test("A sweep of a folder without locks does nothing", async () => {
  await createFileLocks(dataDir).sweep(new Set(), Number.POSITIVE_INFINITY);
  expect(await readdir(dataDir)).toEqual([]);
});

test("The folder and its locks are private to their owner", async () => {
  const id = crypto.randomUUID();
  const release = await createFileLocks(dataDir).hold(id);
  const folder = join(dataDir, "instances");
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await stat(join(folder, id))).mode & 0o777).toBe(0o600);
  await release();
});

/** Takes the lock in another process, which is then killed. */
async function dieWithLock(id: string): Promise<void> {
  const program = `
    import { createFileLocks } from ${JSON.stringify(import.meta.resolve("./instance-locks.ts"))};
    const release = await createFileLocks(${JSON.stringify(dataDir)}).hold(${JSON.stringify(id)});
    process.kill(process.pid, "SIGKILL");
    await release();`;
  const child = Bun.spawn([process.execPath, "-e", program], { stderr: "inherit" });
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}
