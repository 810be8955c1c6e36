import { Database } from "bun:sqlite";
import { join } from "node:path";
import { readAnswer, type ToolAnswer } from "../../test/support/mcp-client.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { type RunningHub, startHub } from "../../test/support/start-hub.ts";
import { openWorkflowHub } from "../../test/support/workflow-hub.ts";
import type { Flood } from "./floods.ts";
import { mountDisk } from "./small-disk.ts";

export type FloodFacts = {
  writtenMiB: number;
  seconds: number;
  leastFreeMiB: number;
  /** Requests of the flood that were refused with `rate_limited`. */
  refusals: number;
  /** How many records of the flood's kind the hub has stored. */
  stored: number;
  /** Of the honest user beside the flood. */
  calls: { made: number; refusedForSpace: number };
  /** What should not have happened, as sentences. */
  faults: string[];
};

export type FloodOptions = {
  diskMiB: number;
  /** `HUB_DISK_FREE_BYTES_MIN`. */
  floorMiB: number;
  seconds: number;
  /** Whether the flood also ends when a request of it (`flood`), or a call of the other user (`user`), is refused. */
  endsAtRefusalOf?: "flood" | "user";
};

/** Less is no flood. */
const storedMin = 10;
/** The hub reads the free space more often. */
const quietMs = 250;
/** What a server may write below the floor: the ends of what has begun, and the log of the database. */
const reserveMiB = 8;

/**
 * Floods a hub on a small disk, beside a user who makes a call and a read each half second. Then fills the disk to below
 * the floor and frees it again.
 */
export async function tryFlood(flood: Flood, options: FloodOptions): Promise<FloodFacts> {
  using disk = mountDisk(options.diskMiB);
  await using hub = await startHub({
    dataDir: disk.path,
    hasCallLimits: true,
    env: { HUB_DISK_FREE_BYTES_MIN: String(options.floorMiB * 1024 ** 2), ...flood.env },
  });
  const flow = await openWorkflowHub(hub);
  const honest = await openHonest(hub);
  const { token } = await hub.addUser("flooder@example.com");
  const manage = await hub.cli(
    ...["token", "create", "--user", "flooder@example.com", "--name", "flood"],
    ...["--scope", "manage", "--json"],
  );
  const { token: manageToken } = manage.json<{ token: string }>();
  const faults: string[] = [];
  const calls = { made: 0, refusedForSpace: 0 };
  let refusals = 0;
  let leastFreeMiB = disk.readFreeMiB();
  const freeBefore = leastFreeMiB;
  const send = await flood.open({ flow, token, manageToken, toolId: honest.toolId });

  const endsAt = performance.now() + options.seconds * 1000;
  const isOver = () =>
    performance.now() > endsAt ||
    (options.endsAtRefusalOf === "flood" && refusals > 0) ||
    (options.endsAtRefusalOf === "user" && calls.refusedForSpace > 0);
  const repeat = async () => {
    while (!isOver()) {
      const answer = await send().catch((err: Error) => void faults.push(`flood: ${err.message}`));
      if (String(answer).includes("rate_limited")) refusals += 1;
    }
  };
  const live = async () => {
    while (!isOver()) {
      const answer = await honest.call();
      calls.made += 1;
      if (isForSpace(answer)) calls.refusedForSpace += 1;
      else if (answer.isError) faults.push(`a call failed: ${JSON.stringify(answer.value)}`);
      const list = await honest.list();
      if (list.isError) faults.push(`a list failed: ${JSON.stringify(list.value)}`);
      leastFreeMiB = Math.min(leastFreeMiB, disk.readFreeMiB());
      await Bun.sleep(500);
    }
  };
  await Promise.all([live(), ...Array.from({ length: flood.senders }, repeat)]);
  const writtenMiB = freeBefore - disk.readFreeMiB();
  if (leastFreeMiB < Math.max(0, options.floorMiB - reserveMiB)) {
    faults.push(`only ${leastFreeMiB.toFixed(1)} MiB were left, below the floor`);
  }

  const stored = countStored(hub.dataDir, flood.stores);
  if (stored < storedMin) faults.push(`the flood stored only ${stored} ${flood.stores}`);
  if (flood.isRefused === true && refusals === 0) faults.push("no request of it was refused");

  const giveBack = disk.fill(options.floorMiB / 2);
  await Bun.sleep(quietMs);
  const refused = await honest.call();
  if (!isForSpace(refused)) faults.push("a call below the floor was not refused");
  if ((await honest.list()).isError) faults.push("a list below the floor failed");
  giveBack();
  await Bun.sleep(quietMs);
  const after = await honest.call();
  const isBelow = disk.readFreeMiB() < options.floorMiB;
  if (after.isError && !isBelow) faults.push("calls do not go on when there is space");
  const lost = /its disk is full|SQLITE_FULL|ENOSPC/.exec(hub.stderr());
  if (lost !== null) faults.push(`the log says: ${lost[0]}`);
  const exitCode = await hub.stop();
  if (exitCode !== 0) faults.push(`the hub ended with code ${exitCode}`);
  const { seconds } = options;
  return {
    writtenMiB,
    seconds,
    leastFreeMiB,
    refusals,
    stored,
    calls,
    faults: [...new Set(faults)].slice(0, 5),
  };
}

const countOf = {
  calls: "select count(*) as n from connector_runs",
  runs: "select count(*) as n from workflow_runs",
  changes: "select count(*) as n from changes",
};

function countStored(dataDir: string, what: Flood["stores"]): number {
  using database = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
  return database.query<{ n: number }, []>(countOf[what]).get()?.n ?? 0;
}

function isForSpace({ value }: ToolAnswer): boolean {
  return value?.code === "insufficient_storage";
}

/** A user who calls the operation that every user may call. */
async function openHonest(hub: RunningHub) {
  const { token } = await hub.addUser("honest@example.com");
  const call = async (name: string, args = {}): Promise<ToolAnswer> => {
    const answer = await postRpc(hub.url, token, toToolCall(name, args), {
      accept: "application/json",
    });
    return readAnswer((JSON.parse(await answer.text()) as { result: unknown }).result);
  };
  const listed = JSON.stringify((await call("hub_list")).value);
  const toolId = /conn:[^"]+\/whoami/.exec(listed)?.[0];
  if (toolId === undefined) throw new Error(`hub_list has no whoami: ${listed.slice(0, 300)}`);
  return {
    toolId,
    call: () => call("hub_execute", { tool_id: toolId, params: {} }),
    list: () => call("hub_list"),
  };
}
