import { hostname } from "node:os";
import type { Store } from "../store.ts";
import type { InstanceRecord } from "./instances.ts";
import { listInstances } from "./instances.ts";

/** A serving process and its addresses. */
export type RunningHub = InstanceRecord & { localUrl: string; baseUrl: string };

/** A process without a lock file is dead if its heartbeat is older than this. */
const aliveMs = 30_000;

/** Other processes of the hub that are alive on this database, oldest first. */
export async function listLiveInstances(
  { db, instanceLocks }: Pick<Store, "db" | "instanceLocks">,
  now: number,
): Promise<InstanceRecord[]> {
  const alive: InstanceRecord[] = [];
  for (const instance of await listInstances(db)) {
    const { id, pid, heartbeatAt } = instance;
    // Containers often have the same process id.
    if (pid === process.pid && instance.hostname === hostname()) continue;
    if ((await instanceLocks.isHeld(id)) ?? now - heartbeatAt < aliveMs) alive.push(instance);
  }
  return alive;
}

/** The number of live servers on this database by their version, this process included. */
export async function countServers(
  { db, instanceLocks }: Pick<Store, "db" | "instanceLocks">,
  ownId: string,
  now: number,
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { id, kind, version, heartbeatAt } of await listInstances(db)) {
    if (kind !== "serve") continue;
    const isAlive =
      id === ownId || ((await instanceLocks.isHeld(id)) ?? now - heartbeatAt < aliveMs);
    if (isAlive) counts[version] = (counts[version] ?? 0) + 1;
  }
  return counts;
}

/** The address for people of a server that runs: this process, if it serves, or another one. Null if none runs. */
export async function findBaseUrl(
  { db, instanceLocks }: Pick<Store, "db" | "instanceLocks">,
  { id: ownId }: Pick<InstanceRecord, "id">,
  now: number,
): Promise<string | null> {
  const servers = listServers(await listInstances(db));
  const own = servers.find(({ id }) => id === ownId);
  if (own !== undefined) return own.baseUrl;
  for (const { id, baseUrl, heartbeatAt } of servers) {
    if ((await instanceLocks.isHeld(id)) ?? now - heartbeatAt < aliveMs) return baseUrl;
  }
  return null;
}

/** The processes among them that serve HTTP. */
export function listServers(instances: readonly InstanceRecord[]): RunningHub[] {
  return instances.flatMap((instance) => {
    const { localUrl, baseUrl } = instance;
    return localUrl === null || baseUrl === null ? [] : [{ ...instance, localUrl, baseUrl }];
  });
}
