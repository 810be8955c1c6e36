import { stat } from "node:fs/promises";
import { toDurationText } from "@hub/connector";
import { deletedUser, findUserNames } from "../../identity/find-user-names.ts";
import { HUB_CALLER_ID } from "../../identity/local-admin.ts";
import { describeFreeSpace, readFreeSpace } from "../../lib/files/free-space.ts";
import { findLastBackup, isBackupLate } from "../../store/backup/last-backup.ts";
import type { Integrity } from "../../store/integrity/check-integrity.ts";
import { readRunBytes, readRunScale } from "../../store/runs/run-bytes.ts";
import { listRunHolders } from "../../store/runs/run-holders.ts";
import { listStoredSettings } from "../../store/settings/settings-table.ts";
import { listWorkflowHolders } from "../../store/workflow-runs/workflow-run-holders.ts";
import { toLiveSettings } from "../../stored-settings.ts";
import { describeOffset } from "./clock-offset.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

export async function checkFolder({ config: { dataDir, pluginUser } }: DoctorDeps): Promise<Check> {
  const { mode } = await stat(dataDir);
  // The group of HUB_PLUGIN_USER passes it on the way to the programs' own folders.
  const others = pluginUser === null ? 0o077 : 0o067;
  if (process.platform === "win32" || (mode & others) === 0) {
    return toCheck("data folder", "ok", dataDir);
  }
  const shown = (mode & 0o777).toString(8);
  const advice = `Other users of this machine can read it (mode ${shown}). Run: chmod 700 '${dataDir}'`;
  return toCheck("data folder", "warn", `${dataDir}. ${advice}`);
}

/** The store is open, so every migration has run, and the database is not from a newer hub. */
export async function checkDatabase({ store }: DoctorDeps): Promise<Check> {
  const { kind, bytes, newestMigration } = await store.describe();
  const message = `${kind}, ${toMebibytes(bytes)}, newest migration ${newestMigration}`;
  const reached = store.readStatus();
  if (reached === null) return await checkIntegrity(store, message);
  const { roundTripMs, clockOffsetMs, connections } = reached;
  const shown = `${message}, ${connections.open} connections of this process, round trip ${roundTripMs.toFixed(1)} ms`;
  const offBy = describeOffset(clockOffsetMs);
  if (offBy === null) return toCheck("database", "ok", shown);
  const advice = `This machine's clock is ${offBy}. The hub corrects it, but other programs do not: set the clock.`;
  return toCheck("database", "warn", `${shown}. ${advice}`);
}

/** The check of the last day, or a new one: a server checks its database daily. */
async function checkIntegrity({ integrity }: DoctorDeps["store"], message: string): Promise<Check> {
  if (integrity === null) return toCheck("database", "ok", message);
  let known = integrity.read();
  try {
    known ??= await integrity.check(integrityMsMax);
  } catch (failure) {
    const reason = failure instanceof Error ? failure.message : String(failure);
    return toCheck("database", "warn", `${message}, not checked for damage: ${reason}`);
  }
  if (known === null) {
    const late = `not checked for damage, which takes more than ${toDurationText(integrityMsMax)}: hub backup checks it, and a running hub once a day`;
    return toCheck("database", "unknown", `${message}, ${late}`);
  }
  const { checkedAt, faults } = known;
  if (faults.length === 0) {
    return { ...toCheck("database", "ok", `${message}, not damaged`), seenAt: checkedAt };
  }
  return { ...toCheck("database", "fail", describeDamage(message, known)), seenAt: checkedAt };
}

function describeDamage(message: string, { checkedAt, faults }: Integrity): string {
  const advice =
    "Stop the hub, copy the data folder as it is, and restore the newest backup with hub restore.";
  return `${message}. It is damaged (checked at ${new Date(checkedAt).toISOString()}): ${faults.join("; ")}. ${advice}`;
}

/** Damage that the daily check has found. Checks nothing itself. Empty if none is known. */
export function findKnownDamage({ store: { integrity } }: Pick<DoctorDeps, "store">): Check[] {
  const known = integrity?.read() ?? null;
  if (known === null || known.faults.length === 0) return [];
  const found = toCheck("database", "fail", describeDamage("SQLite", known));
  return [{ ...found, seenAt: known.checkedAt, since: known.checkedAt }];
}

const integrityMsMax = 10_000;

export async function checkDisk({ config, store }: DoctorDeps): Promise<Check> {
  const { dataDir, diskFreeBytesMin } = config;
  const free = await readFreeSpace(dataDir, store.isShared ? 0 : diskFreeBytesMin);
  return toCheck("disk", free.status, describeFreeSpace(free, dataDir));
}

export async function checkBackup({ store, now }: DoctorDeps): Promise<Check> {
  if (store.isShared) {
    const message = "PostgreSQL: back it up with pg_dump, and keep HUB_ENC_KEY in another place";
    return toCheck("backup", "unknown", message);
  }
  const last = await findLastBackup(store.db);
  const advice =
    "Make one with: hub backup FILE --keys. A timer makes them by itself: see hub help guide/backup";
  if (last === null) return toCheck("backup", "warn", `none was made here. ${advice}`);
  const keys = last.hasKeys ? "with the keys" : "without the keys";
  const message = `the last one is of ${new Date(last.at).toISOString()}, ${keys}`;
  if (!isBackupLate(last, now())) return toCheck("backup", "ok", message);
  if (last.at > now()) {
    const ahead = `which is in the future: the clock was ahead. ${advice}`;
    return { ...toCheck("backup", "warn", `${message}, ${ahead}`), since: last.at };
  }
  const late =
    last.intervalMs === undefined
      ? `more than a week ago. ${advice}`
      : "and the next one is late. Look at what makes them, such as the timer hub-backup: systemctl status hub-backup";
  return { ...toCheck("backup", "warn", `${message}, ${late}`), since: last.at };
}

export async function checkAudit({ store, config, now }: DoctorDeps): Promise<Check> {
  const { db } = store;
  const { auditBytesMax, auditRetentionDays } = toLiveSettings(
    config,
    await listStoredSettings(db),
  );
  const bytes = await readRunBytes(store);
  const holders = await describeHolders(store);
  const workflows = await describeWorkflowHolders(store);
  const kept = `about ${toMebibytes(bytes)} of calls${holders}, kept for ${auditRetentionDays} days${workflows}`;
  if (auditBytesMax === 0) return toCheck("audit", "ok", `${kept}; HUB_AUDIT_BYTES_MAX is off`);
  const message = `${kept} and at most ${toMebibytes(auditBytesMax)}`;
  const today = await readRunBytes(store, { endedFrom: now() - dayMs });
  if (today <= auditBytesMax) return toCheck("audit", "ok", message);
  const advice = `The last 24 hours alone take ${toMebibytes(today)}, and they are always kept. Limit the calls (HUB_USER_CALLS_PER_MINUTE), or raise HUB_AUDIT_BYTES_MAX.`;
  return toCheck("audit", "warn", `${message}. ${advice}`);
}

const holdersShown = 3;

/** Who holds most of the runs: ` (most by ada@example.com: 12 MiB)`. */
async function describeHolders(store: DoctorDeps["store"]): Promise<string> {
  const { db } = store;
  const holders = await listRunHolders(db, { limit: holdersShown });
  if (holders.length === 0) return "";
  const { scale } = await readRunScale(store);
  const found = await findUserNames(
    db,
    holders.map(({ userId }) => userId),
  );
  const names = new Map(found).set(HUB_CALLER_ID, "the hub itself");
  const texts = holders.map(
    ({ userId, bytes }) => `${names.get(userId) ?? deletedUser}: ${toMebibytes(bytes * scale)}`,
  );
  return ` (most by ${texts.join(", ")})`;
}

/** Of more runs of workflows, only the newest are looked at. */
const workflowRunsRead = 500;

/** Which workflows fill the disk now: `; of the newest 500 runs of workflows, most is held by "Report": 12 MiB`. */
async function describeWorkflowHolders({ db }: DoctorDeps["store"]): Promise<string> {
  const given = { runs: workflowRunsRead, limit: holdersShown };
  const holders = await listWorkflowHolders(db, given);
  if (holders.length === 0) return "";
  const texts = holders.map(({ name, bytes }) => {
    const workflow = name === null ? "a deleted workflow" : JSON.stringify(name);
    return `${workflow}: ${toMebibytes(bytes)}`;
  });
  return `; of the newest ${workflowRunsRead} runs of workflows, most is held by ${texts.join(", ")}`;
}

const dayMs = 24 * 60 * 60 * 1000;

function toMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}
