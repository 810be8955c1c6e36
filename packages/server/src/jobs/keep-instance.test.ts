import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InstanceLocks } from "../store/data-folder/instance-locks.ts";
import { findRun } from "../store/runs/runs-table.ts";
import { listInstances } from "../store/servers/instances.ts";
import type { Store } from "../store/store.ts";
import { newRun } from "../store/test-data.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { createHeartbeatJob, createRecoveryJob, openInstance } from "./keep-instance.ts";

let dataDir: string;
let store: Store;
let resources: AsyncDisposableStack;
const clock = { ms: 1_000_000 };

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-jobs-"));
  store = await openTestStore({ dataDir });
});
beforeEach(() => {
  resources = new AsyncDisposableStack();
});
afterEach(() => resources.disposeAsync());
afterAll(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

/** A process with a running call. By default, its locks give no answer. */
async function openProcess(
  locks: InstanceLocks = { ...store.instanceLocks, isHeld: async () => null },
) {
  const sharedClock = { now: () => clock.ms, measure: async () => {}, offsetMs: () => 0 };
  const deps = { db: store.db, clock: sharedClock, locks };
  const { instance, close } = await openInstance(deps, { kind: "serve", version: "1" });
  resources.defer(close);
  const run = newRun({ instanceId: instance.id });
  await store.runs.begin(run);
  const recovery = createRecoveryJob(deps, instance);
  return {
    id: instance.id,
    beat: () => createHeartbeatJob(deps, instance).run(),
    recover: () => recovery.run(),
    close,
    status: async () => (await findRun(store.db, run.id))?.status,
  };
}

const ids = async () => (await listInstances(store.db)).map(({ id }) => id);

describe("the recovery of dead processes' runs, without locks", () => {
  test("The runs of dead processes are cancelled and their instances removed", async () => {
    const dead = await openProcess();
    clock.ms += 60_000;
    const live = await openProcess();
    await live.recover();
    expect([await dead.status(), await live.status()]).toEqual(["cancelled", "running"]);
    expect(await ids()).toEqual([live.id]);
  });

  test("Instances with a recent heartbeat are not changed", async () => {
    const other = await openProcess();
    clock.ms += 60_000;
    await other.beat();
    const live = await openProcess();
    await live.recover();
    expect(await other.status()).toBe("running");
  });

  test("After a suspend the recovery waits for heartbeats of others and its own", async () => {
    const other = await openProcess();
    const live = await openProcess();
    await live.recover();
    clock.ms += 3_600_000;
    await live.recover();
    expect([await other.status(), await live.status()]).toEqual(["running", "running"]);
    clock.ms += 30_000;
    await other.beat();
    await live.recover();
    expect([await other.status(), await live.status()]).toEqual(["running", "running"]);
  });

  test("An instance that was removed as dead returns with its next heartbeat", async () => {
    const paused = await openProcess();
    clock.ms += 60_000;
    const live = await openProcess();
    await live.recover();
    await paused.beat();
    expect(new Set(await ids())).toEqual(new Set([paused.id, live.id]));
  });
});

describe("the recovery of dead processes' runs, with locks", () => {
  test("A killed process counts as dead at once, also with a recent heartbeat", async () => {
    const live = await openProcess(store.instanceLocks);
    const other = await spawnProcess();
    await live.recover();
    expect([await other.status(), await live.status()]).toEqual(["running", "running"]);
    await other.end("SIGKILL");
    await live.recover();
    expect([await other.status(), await live.status()]).toEqual(["cancelled", "running"]);
    expect(await ids()).toEqual([live.id]);
    expect(await readdir(join(dataDir, "instances"))).toEqual([live.id]);
  });

  test("A stopped process is alive, however old its heartbeat", async () => {
    const other = await spawnProcess();
    other.signal("SIGSTOP");
    clock.ms += 3_600_000;
    const live = await openProcess(store.instanceLocks);
    await live.recover();
    expect(await other.status()).toBe("running");
    await other.end("SIGKILL");
    await live.recover();
    expect(await other.status()).toBe("cancelled");
  });

  test("A process whose lock file was deleted is not dead", async () => {
    const other = await spawnProcess();
    await rm(join(dataDir, "instances", other.id));
    const live = await openProcess(store.instanceLocks);
    await live.recover();
    expect(await other.status()).toBe("running");
    await other.end("SIGKILL");
    clock.ms += 60_000;
    const later = await openProcess(store.instanceLocks);
    await later.recover();
    expect(await other.status()).toBe("cancelled");
  });

  test("Closing removes the registration and the lock", async () => {
    const process = await openProcess(store.instanceLocks);
    await process.close();
    expect(await ids()).toEqual([]);
    expect(await readdir(join(dataDir, "instances"))).toEqual([]);
  });

  /** A separate process with a running call, registered at the time of the test's clock. */
  async function spawnProcess() {
    const program = `
      import { openStore } from ${JSON.stringify(import.meta.resolve("../store/open-store.ts"))};
      import { newRun } from ${JSON.stringify(import.meta.resolve("../store/test-data.ts"))};
      import { openInstance } from ${JSON.stringify(import.meta.resolve("./keep-instance.ts"))};
      const store = await openStore({ dataDir: ${JSON.stringify(dataDir)} });
      const clock = { now: () => ${clock.ms}, measure: async () => {}, offsetMs: () => 0 };
      const deps = { db: store.db, clock, locks: store.instanceLocks };
      const opened = await openInstance(deps, { kind: "stdio", version: "1" });
      const run = newRun({ instanceId: opened.instance.id });
      await store.runs.begin(run);
      console.log(JSON.stringify([opened.instance.id, run.id]));
      // The reference keeps the object, because the lock would be released with it.
      setInterval(() => opened, 1_000);`;
    const child = Bun.spawn([process.execPath, "-e", program], {
      stdout: "pipe",
      stderr: "inherit",
    });
    const end = async (signal: NodeJS.Signals) => {
      child.kill(signal);
      await child.exited;
    };
    resources.defer(() => end("SIGKILL"));
    const [id, runId] = JSON.parse(await readLine(child.stdout));
    return {
      id: String(id),
      signal: (signal: NodeJS.Signals) => child.kill(signal),
      end,
      status: async () => (await findRun(store.db, String(runId)))?.status,
    };
  }
});

async function readLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  return text;
}
