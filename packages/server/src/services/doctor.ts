import { stat } from "node:fs/promises";
import { hostname } from "node:os";
import type { DoctorCheck, DoctorReport } from "@hub/contract/doctor.ts";
import { findMissingFields } from "../connectors/find-missing-fields.ts";
import { findEmbeddingsStatus } from "../embeddings/status.ts";
import { localAdmin } from "../identity/local-admin.ts";
import { isActive } from "../identity/to-caller.ts";
import { isLoopbackHost, toDefaultBaseUrl } from "../lib/bind-host.ts";
import { describeFreeSpace, readFreeSpace } from "../lib/free-space.ts";
import { formatKeyId } from "../secrets/key-ring.ts";
import { findLastBackup } from "../store/backup/last-backup.ts";
import { listLiveInstances, listServers, type RunningHub } from "../store/find-server.ts";
import type { InstanceRecord } from "../store/instances.ts";
import { listPluginProblems } from "../store/plugin-problems.ts";
import { listRows } from "../store/rows.ts";
import { readRunBytes } from "../store/run-bytes.ts";
import { listStoredSettings } from "../store/settings.ts";
import { listUsers } from "../store/users.ts";
import { reportSettings, toLiveSettings } from "../stored-settings.ts";
import { listChannels } from "./channels.ts";
import { findKeyOrigin } from "./keys/keys.ts";
import { countSealedValues, type LostSecret, listLostSecrets } from "./keys/reseal-values.ts";
import type { ServiceDeps } from "./service-deps.ts";
import { listProcesses } from "./status.ts";

type DoctorDeps = Pick<
  ServiceDeps,
  "store" | "ring" | "registry" | "plugins" | "config" | "now" | "chats"
>;

/** Checks everything that the hub needs to work. Changes nothing. */
export async function examineHub(
  deps: DoctorDeps,
  { warnings = [] }: { warnings?: readonly string[] } = {},
): Promise<DoctorReport> {
  const checks = [
    await checkFolder(deps),
    await checkDatabase(deps),
    await checkDisk(deps),
    await checkBackup(deps),
    await checkAudit(deps),
    await checkKeys(deps),
    checkMasking(deps),
    ...(await checkEmbeddings(deps)),
    ...(await checkServers(deps)),
    await checkAdmins(deps),
    await checkPlugins(deps),
    await checkRows(deps),
    ...(await checkChannels(deps)),
    await checkInstances(deps),
    ...warnings.map((message) => toCheck("environment", "warn", message)),
  ];
  return {
    ok: checks.every((check) => check.status !== "fail"),
    checks,
    settings: reportSettings(deps.config, await listStoredSettings(deps.store.db)),
  };
}

function toCheck(name: string, status: DoctorCheck["status"], message: string): DoctorCheck {
  return { name, status, message };
}

async function checkFolder({ config: { dataDir } }: DoctorDeps): Promise<DoctorCheck> {
  const { mode } = await stat(dataDir);
  if (process.platform === "win32" || (mode & 0o077) === 0) {
    return toCheck("data folder", "ok", dataDir);
  }
  const shown = (mode & 0o777).toString(8);
  const advice = `Other users of this machine can read it (mode ${shown}). Run: chmod 700 '${dataDir}'`;
  return toCheck("data folder", "warn", `${dataDir}. ${advice}`);
}

/** The store is open, so every migration has run, and the database is not from a newer hub. */
async function checkDatabase({ store }: DoctorDeps): Promise<DoctorCheck> {
  const { kind, bytes, newestMigration } = await store.describe();
  const message = `${kind}, ${toMebibytes(bytes)}, newest migration ${newestMigration}`;
  const reached = store.readStatus();
  if (reached === null) return toCheck("database", "ok", message);
  const { roundTripMs, clockOffsetMs, connections } = reached;
  const shown = `${message}, ${connections.open} connections of this process, round trip ${roundTripMs.toFixed(1)} ms`;
  const offBy = describeOffset(clockOffsetMs);
  if (offBy === null) return toCheck("database", "ok", shown);
  const advice = `This machine's clock is ${offBy}. The hub corrects it, but other programs do not: set the clock.`;
  return toCheck("database", "warn", `${shown}. ${advice}`);
}

const clockOffsetMsMax = 2_000;

/** Null for a clock that agrees with the database's. */
function describeOffset(clockOffsetMs: number): string | null {
  if (Math.abs(clockOffsetMs) <= clockOffsetMsMax) return null;
  const seconds = Math.round(Math.abs(clockOffsetMs) / 1000);
  return `${seconds} s ${clockOffsetMs > 0 ? "behind" : "ahead of"} the database's`;
}

async function checkDisk({ config: { dataDir } }: DoctorDeps): Promise<DoctorCheck> {
  const free = await readFreeSpace(dataDir);
  return toCheck("disk", free.status, describeFreeSpace(free, dataDir));
}

const backupAgeMsMax = 7 * 24 * 60 * 60 * 1000;

async function checkBackup({ store, now }: DoctorDeps): Promise<DoctorCheck> {
  if (store.isShared) {
    const message = "PostgreSQL: back it up with pg_dump, and keep HUB_ENC_KEY in another place";
    return toCheck("backup", "ok", message);
  }
  const last = await findLastBackup(store.db);
  const advice = "Make one with: hub backup FILE --keys";
  if (last === null) return toCheck("backup", "ok", `none was made here. ${advice}`);
  const keys = last.hasKeys ? "with the keys" : "without the keys";
  const message = `the last one is of ${new Date(last.at).toISOString()}, ${keys}`;
  if (now() - last.at <= backupAgeMsMax) return toCheck("backup", "ok", message);
  return toCheck("backup", "warn", `${message}, more than a week ago. ${advice}`);
}

async function checkAudit({ store, config, now }: DoctorDeps): Promise<DoctorCheck> {
  const { db } = store;
  const { auditBytesMax, auditRetentionDays } = toLiveSettings(
    config,
    await listStoredSettings(db),
  );
  const bytes = await readRunBytes(store);
  const kept = `about ${toMebibytes(bytes)} of runs, kept for ${auditRetentionDays} days`;
  if (auditBytesMax === 0) return toCheck("audit", "ok", `${kept}; HUB_AUDIT_BYTES_MAX is off`);
  const message = `${kept} and at most ${toMebibytes(auditBytesMax)}`;
  const today = await readRunBytes(store, { endedFrom: now() - dayMs });
  if (today <= auditBytesMax) return toCheck("audit", "ok", message);
  const advice = `The last 24 hours alone take ${toMebibytes(today)}, and they are always kept. Limit the calls (HUB_USER_CALLS_PER_MINUTE), or raise HUB_AUDIT_BYTES_MAX.`;
  return toCheck("audit", "warn", `${message}. ${advice}`);
}

const dayMs = 24 * 60 * 60 * 1000;

async function checkKeys({ config, store, ring }: DoctorDeps): Promise<DoctorCheck> {
  const { keys, sealing } = await ring.reload();
  const counts = await countSealedValues(store.db);
  const lost = [...counts].filter(([id]) => !keys.has(id));
  if (lost.length > 0) {
    const names = lost.map(([id]) => formatKeyId(id)).join(", ");
    const secrets = formatLostSecrets(await listLostSecrets(store.db, keys));
    return toCheck(
      "keys",
      "fail",
      `Stored secrets need keys that are missing: ${names}. Restore these keys, or set the secrets again: ${secrets}.`,
    );
  }
  const place = findKeyOrigin(config) === "file" ? "the key file (mode 0600)" : "HUB_ENC_KEY";
  const count = keys.size === 1 ? "1 key" : `${keys.size} keys`;
  const message = `${count} in ${place}; new secrets are encrypted with ${formatKeyId(sealing.id)}`;
  return toCheck("keys", "ok", message);
}

const namedSecretsMax = 20;

function formatLostSecrets(secrets: readonly LostSecret[]): string {
  const named = secrets
    .slice(0, namedSecretsMax)
    .map(({ kind, label, key }) => `${key} of ${kind === "Row" ? "" : "the workflow "}"${label}"`);
  const more = secrets.length - named.length;
  return `${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function checkMasking({ config }: DoctorDeps): DoctorCheck {
  if (config.encDisable) {
    const message =
      "HUB_ENC_DISABLE is set: secrets are not masked in results and in recorded runs.";
    return toCheck("masking", "warn", message);
  }
  const message = "secrets are replaced by tokens in results and recorded runs";
  if (config.rowTokens === "bound") return toCheck("masking", "ok", message);
  return toCheck(
    "masking",
    "warn",
    `${message}, but HUB_ROW_TOKENS is user: callers can read the secrets of rows that echo them.`,
  );
}

/** Nothing is shown while embeddings are off, as by default. */
async function checkEmbeddings({ config, store }: DoctorDeps): Promise<DoctorCheck[]> {
  const { embeddingsUrl, embeddingsModel: model } = config;
  if (embeddingsUrl === null) return [];
  const place = `${model} at ${new URL(embeddingsUrl).host}`;
  const status = await findEmbeddingsStatus(store.db);
  if (status === null || status.model !== model) {
    return [toCheck("embeddings", "ok", `${place}; vectors are made once the hub is started`)];
  }
  const { vectors, texts, failure } = status;
  const message = `${place}, ${vectors} of ${texts} texts have a vector`;
  if (failure === null) return [toCheck("embeddings", "ok", message)];
  const last = `The last failure, at ${new Date(failure.at).toISOString()}: ${failure.message}`;
  const severity = vectors < texts ? "warn" : "ok";
  return [toCheck("embeddings", severity, `${message}. ${last}`)];
}

/** The hub that runs on this data folder; without one, the address that it would use. */
async function checkServers(deps: DoctorDeps): Promise<DoctorCheck[]> {
  const servers = listServers(await listProcesses(deps));
  if (servers.length === 0) return [checkAddress(deps)];
  return await Promise.all(servers.map(checkServer));
}

const answerMsMax = 2_000;

async function checkServer(server: RunningHub): Promise<DoctorCheck> {
  const { pid, localUrl, baseUrl } = server;
  if (server.hostname !== hostname()) {
    // Its local address would be another program of this machine.
    const place = `process ${pid} on ${server.hostname}`;
    return toCheck("address", "ok", `${baseUrl}, served by ${place}`);
  }
  const message = `${localUrl}, reached as ${baseUrl}, served by process ${pid}`;
  try {
    const signal = AbortSignal.timeout(answerMsMax);
    const { status } = await fetch(`${localUrl}/health`, { signal, redirect: "error" });
    if (status === 200) return toCheck("address", "ok", message);
    return toCheck(
      "address",
      "warn",
      `${message}. It answered with status ${status}: see its log.`,
    );
  } catch {
    return toCheck("address", "warn", `${message}. It does not answer: see its log.`);
  }
}

function checkAddress({ config: { host, port, baseUrl } }: DoctorDeps): DoctorCheck {
  const message = `${host}:${port}, reached as ${baseUrl ?? toDefaultBaseUrl(host, port)}, once the hub is started`;
  if (baseUrl !== null || isLoopbackHost(host)) return toCheck("address", "ok", message);
  const advice =
    "Set HUB_BASE_URL to the address that clients use. Requests to other addresses are refused.";
  return toCheck("address", "warn", `${message}. ${advice}`);
}

async function checkAdmins({ store }: DoctorDeps): Promise<DoctorCheck> {
  const users = await listUsers(store.db);
  const admins = users.filter((user) => user.role === "admin" && isActive(user));
  const message = `${users.length} in all, ${admins.length} active admins`;
  return users.length > 0 && admins.length === 0
    ? toCheck(
        "users",
        "warn",
        `${message}. Give one of them the role admin, and make sure that this user is active.`,
      )
    : toCheck("users", "ok", message);
}

/** The plugins of this data folder, and what running servers cannot use of those for all. */
async function checkPlugins({ store, plugins, now }: DoctorDeps): Promise<DoctorCheck> {
  const states = await plugins.list();
  const here = states.flatMap(({ key, problem, note, awaitedVersion }) => {
    // The server of this folder fetches it, and records why if it cannot.
    const text = awaitedVersion === null ? (problem ?? note) : null;
    return text === null ? [] : [`${key}: ${text}`];
  });
  const servers = new Map((await listLiveInstances(store, now())).map((one) => [one.id, one]));
  const elsewhere = (await listPluginProblems(store.db)).flatMap(({ instanceId, key, message }) => {
    const server = servers.get(instanceId);
    return server === undefined
      ? []
      : [`${key} on process ${server.pid} of ${server.hostname}: ${message}`];
  });
  const message = `${states.length} installed`;
  const problems = [...here, ...elsewhere];
  return problems.length === 0
    ? toCheck("plugins", "ok", message)
    : toCheck("plugins", "warn", `${message}; ${problems.join(" ")}`);
}

async function checkRows({ store, registry }: DoctorDeps): Promise<DoctorCheck> {
  const rows = await listRows(store.db);
  const problems = rows.flatMap((row) => {
    const connector = registry.find(row.connectorKey);
    // Not a fault of the row: the check of the plugins says what is missing.
    if (registry.isAwaited(row.connectorKey)) return [];
    if (connector === null) return [`"${row.label}" needs the connector ${row.connectorKey}`];
    const missing = findMissingFields(connector.configFields, row).map((field) => field.key);
    return missing.length === 0 ? [] : [`"${row.label}" needs ${missing.join(", ")}`];
  });
  const message = `${rows.length} in all`;
  return problems.length === 0
    ? toCheck("rows", "ok", message)
    : toCheck("rows", "warn", `${message}; ${problems.join("; ")}`);
}

/** Nothing is shown without channels. Rows that need setup are named by the check of the rows. */
async function checkChannels(deps: DoctorDeps): Promise<DoctorCheck[]> {
  const channels = await listChannels(deps, localAdmin);
  if (channels.length === 0) return [];
  const connected = channels.filter(({ state }) => state === "connected").length;
  const message = `${channels.length} in all, ${connected} connected`;
  const problems = channels.flatMap(({ slug, state, reason, connector, id }) =>
    (state === "failed" || state === "connecting") && reason !== null
      ? [`${slug}: ${reason} See /manager/connectors/${connector}/${id}.`]
      : [],
  );
  const left = problems.length - namedChannelsMax;
  const more = left > 0 ? [`${left} more are not connected. See hub channel list.`] : [];
  // A line for each channel, because the words of a platform are long.
  return [
    toCheck("channels", problems.length === 0 ? "ok" : "warn", message),
    ...[...problems.slice(0, namedChannelsMax), ...more].map((problem) =>
      toCheck("channel", "warn", problem),
    ),
  ];
}

const namedChannelsMax = 20;

async function checkInstances({ store, now }: DoctorDeps): Promise<DoctorCheck> {
  // A command does not count itself. A server that is asked over the API does.
  const alive = (await listProcesses({ store, now })).filter(
    ({ kind, pid }) => kind !== "cli" || pid !== process.pid,
  );
  if (alive.length === 0) {
    return toCheck("processes", "ok", "no other process of the hub is running here");
  }
  const at = now();
  const list = alive.map((instance) => describeProcess(instance, at)).join(", ");
  const versions = new Set(alive.map(({ version }) => version).filter((version) => version !== ""));
  const problems = [
    ...(versions.size > 1 ? [`They have different versions: ${[...versions].join(", ")}.`] : []),
    ...alive.flatMap(({ pid, hostname, clockOffsetMs }) => {
      const offBy = describeOffset(clockOffsetMs);
      return offBy === null ? [] : [`The clock of ${pid} on ${hostname} is ${offBy}.`];
    }),
  ];
  if (problems.length === 0) return toCheck("processes", "ok", list);
  return toCheck("processes", "warn", `${list}. ${problems.join(" ")}`);
}

function describeProcess(instance: InstanceRecord, now: number): string {
  const { kind, pid, hostname, version, startedAt, heartbeatAt } = instance;
  const name = `${kind} ${pid} on ${hostname}`;
  if (version === "") return name;
  const seconds = Math.max(0, Math.round((now - heartbeatAt) / 1000));
  return `${name} (version ${version}, since ${new Date(startedAt).toISOString()}, last heartbeat ${seconds} s ago)`;
}

function toMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 1024 ** 2)} MiB`;
}
