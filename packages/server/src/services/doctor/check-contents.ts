import {
  describeRowState,
  type RowStateName,
  rowStateNameSchema,
} from "@hub/contract/row-state.ts";
import { findMissingFields } from "../../connectors/rows/find-missing-fields.ts";
import {
  type OpenDeps,
  openRowConfig,
  prepareSecrets,
} from "../../connectors/rows/open-row-config.ts";
import { findEmbeddingsStatus } from "../../embeddings/embeddings-status.ts";
import { toHubError } from "../../errors.ts";
import { localAdmin } from "../../identity/local-admin.ts";
import { isActive } from "../../identity/to-caller.ts";
import { isManaged, isOutside } from "../../secrets/at-rest/at-rest.ts";
import { listPluginProblems } from "../../store/plugins/plugin-problems.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { listLiveInstances } from "../../store/servers/running-servers.ts";
import { listUsers } from "../../store/users/users-table.ts";
import { listChannels } from "../channels/manage-channels.ts";
import type { KnownRow } from "../rows/states/known-row.ts";
import { findKnown } from "../rows/states/read-row-states.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

/** Nothing is shown while embeddings are off, as by default. */
export async function checkEmbeddings({ config, store }: DoctorDeps): Promise<Check[]> {
  const { embeddingsUrl, embeddingsModel: model } = config;
  if (embeddingsUrl === null) return [];
  const place = `${model} at ${new URL(embeddingsUrl).host}`;
  const status = await findEmbeddingsStatus(store.db);
  if (status === null || status.model !== model) {
    const message = `${place}; vectors are made once the hub is started`;
    return [toCheck("embeddings", "unknown", message)];
  }
  const { vectors, texts, failure } = status;
  const message = `${place}, ${vectors} of ${texts} texts have a vector`;
  if (failure === null) return [toCheck("embeddings", "ok", message)];
  const last = `The last failure, at ${new Date(failure.at).toISOString()}: ${failure.message}`;
  const severity = vectors < texts ? "warn" : "ok";
  return [toCheck("embeddings", severity, `${message}. ${last}`)];
}

export async function checkAdmins({ store }: DoctorDeps): Promise<Check> {
  const users = await listUsers(store.db);
  const admins = users.filter((user) => user.role === "admin" && isActive(user));
  const noun = admins.length === 1 ? "admin" : "admins";
  const message = `${users.length} in all, ${admins.length} active ${noun}`;
  return users.length > 0 && admins.length === 0
    ? toCheck(
        "users",
        "warn",
        `${message}. Give one of them the role admin, and make sure that this user is active.`,
      )
    : toCheck("users", "ok", message);
}

/** The plugins of this data folder, and what running servers cannot use of those for all. */
export async function checkPlugins({ store, plugins, now }: DoctorDeps): Promise<Check> {
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

export async function checkRows({ store, ring, references, registry }: DoctorDeps): Promise<Check> {
  const rows = await listRows(store.db);
  const keys = await ring.reload();
  for (const row of rows) {
    if (!row.values.some(({ sealed }) => sealed !== null && isManaged(sealed))) continue;
    await prepareSecrets({ ring: keys, references }, row);
  }
  const problems = rows.flatMap((row) => {
    const connector = registry.find(row.connectorKey);
    // Not a fault of the row: the check of the plugins says what is missing.
    if (registry.isAwaited(row.connectorKey)) return [];
    if (connector === null) return [`"${row.label}" needs the connector ${row.connectorKey}`];
    const missing = findMissingFields(connector.configFields, row).map((field) => field.key);
    const needs = missing.length === 0 ? [] : [`"${row.label}" needs ${missing.join(", ")}`];
    return [...needs, ...findUnreadable({ registry, ring: keys, references }, row)];
  });
  const states = Map.groupBy(await findKnown({ store, registry }, rows), ({ state }) => state);
  const counted = rowStateNameSchema.options.flatMap((name) => {
    const { length } = states.get(name) ?? [];
    return length === 0 ? [] : [`${length} ${describeRowState(name).toLowerCase()}`];
  });
  problems.push(...listBroken(states));
  const message = [`${rows.length} in all`, ...counted].join(", ");
  if (problems.length > 0) return toCheck("rows", "warn", `${message}; ${problems.join("; ")}`);
  // Without a call, a row was not seen to work.
  const isSeen = [...states.keys()].every((name) => name === "ready" || name === "disabled");
  return toCheck("rows", isSeen ? "ok" : "unknown", message);
}

const namedRowsMax = 20;

/** The rows that were seen not to work, each once. */
function listBroken(states: ReadonlyMap<RowStateName, readonly KnownRow[]>): string[] {
  const broken = (["unreachable", "refused", "failing"] as const).flatMap((name) =>
    (states.get(name) ?? []).map(
      ({ record }) => `"${record.label}": ${describeRowState(name).toLowerCase()}`,
    ),
  );
  const left = broken.length - namedRowsMax;
  const more = left > 0 ? [`${left} more, see hub row list`] : [];
  return [...broken.slice(0, namedRowsMax), ...more];
}

/** Secrets outside the hub are read where this command runs; its variables may differ from those of a server. */
function findUnreadable(deps: OpenDeps, row: RowRecord): string[] {
  if (!row.values.some(({ sealed }) => sealed !== null && isOutside(sealed))) return [];
  try {
    openRowConfig(deps, row);
    return [];
  } catch (thrown) {
    return [`"${row.label}": ${toHubError(thrown).message}`];
  }
}

/** Nothing is shown without channels. Rows that need setup are named by the check of the rows. */
export async function checkChannels(deps: DoctorDeps): Promise<Check[]> {
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
  const isSeen = channels.every(({ state }) => state === "connected" || state === "disabled");
  // A line for each channel, because the words of a platform are long.
  return [
    toCheck("channels", problems.length > 0 ? "warn" : isSeen ? "ok" : "unknown", message),
    ...[...problems.slice(0, namedChannelsMax), ...more].map((problem) =>
      toCheck("channel", "warn", problem),
    ),
  ];
}

const namedChannelsMax = 20;
