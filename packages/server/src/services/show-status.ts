import { hostname } from "node:os";
import type { Status } from "@hub/contract/hub-status.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { findLastBackup, isBackupLate } from "../store/backup/last-backup.ts";
import { type InstanceRecord, listInstances } from "../store/servers/instances.ts";
import { listLiveInstances } from "../store/servers/running-servers.ts";
import type { ServiceDeps } from "./service-deps.ts";

type StatusDeps = Pick<ServiceDeps, "store" | "now">;

/** The database as this process reaches it, and the processes that share it. */
export async function showStatus({ store, now }: StatusDeps): Promise<Status> {
  const { kind, bytes, newestMigration } = await store.describe();
  const reached = store.readStatus();
  const last = store.isShared ? null : await findLastBackup(store.db);
  const processes = await listProcesses({ store, now });
  return {
    database: {
      kind,
      bytes,
      newest_migration: newestMigration,
      server: reached && {
        round_trip_ms: Math.round(reached.roundTripMs * 100) / 100,
        connections_max: reached.connections.max,
        connections_open: reached.connections.open,
        connections_opened: reached.connections.opened,
        busy: reached.connections.busy,
        waiting: reached.connections.waiting,
      },
    },
    backup: last && { made_at: toTimeText(last.at), late: isBackupLate(last, now()) },
    processes: processes.map(toProcess),
  };
}

/** This process, if it is in the database, and the others that are alive on it, oldest first. */
export async function listProcesses({ store, now }: StatusDeps): Promise<InstanceRecord[]> {
  const others = await listLiveInstances(store, now());
  const own = (await listInstances(store.db)).filter(isThisProcess).slice(-1);
  return [...own, ...others].sort((one, two) => one.startedAt - two.startedAt);
}

function isThisProcess({ pid, hostname: name }: InstanceRecord): boolean {
  return pid === process.pid && name === hostname();
}

function toProcess(instance: InstanceRecord): Status["processes"][number] {
  return {
    id: instance.id,
    kind: instance.kind,
    version: instance.version || null,
    hostname: instance.hostname,
    pid: instance.pid,
    started_at: toTimeText(instance.startedAt),
    heartbeat_at: toTimeText(instance.heartbeatAt),
    clock_offset_ms: instance.clockOffsetMs,
    answers: isThisProcess(instance),
  };
}
