import { HubError } from "../../errors.ts";
import {
  listPluginInstalls,
  type PluginInstall,
  purgePluginChunks,
} from "../../store/plugins/plugin-installs.ts";
import { deletePluginProblem, putPluginProblem } from "../../store/plugins/plugin-problems.ts";
import type { PluginFolder } from "../installed/installed-plugins.ts";
import type { ProgramRecords } from "../installed/program-records.ts";
import { removeFiles } from "../installed/remove-files.ts";
import { findLocalCopy, type LocalCopy, listLocalCopies } from "./local-copies.ts";
import { findBuild } from "./publish-version.ts";
import { createRetries } from "./retries.ts";
import { type TakeDeps, takeBuild } from "./take-build.ts";

export type FollowDeps = TakeDeps & {
  /** The folder as it is. */
  scan(): Promise<PluginFolder[]>;
  /** Installs the catalog's build of a version that has none for this platform. */
  installFromCatalog(install: PluginInstall, signal: AbortSignal): Promise<void>;
  /** Called after each change of the folder. */
  onChange(): Promise<unknown>;
  records: Pick<ProgramRecords, "delete" | "purge">;
  /** The id under which problems are recorded; null for a process that does not stay. */
  findInstanceId(): string | null;
  log: {
    info(fields: Record<string, unknown>, message: string): void;
    warn(fields: Record<string, unknown>, message: string): void;
  };
  now(): number;
};

export type InstallFollower = {
  follow(): Promise<void>;
  /** Why the last attempt to take up this install failed; null if none failed. */
  findFailure(install: PluginInstall): string | null;
  /** Keys of the plugins that this process installs now. `follow` leaves them alone. */
  publishing: Set<string>;
  stop(): void;
};

const purgeEveryMs = 60 * 60_000;
/** Longer than any upload pauses between two chunks, also with clocks that differ. */
const unusedMsMin = 60 * 60_000;
/** A program whose record is deleted is read once more. */
const recordMsMax = 30 * 24 * 60 * 60_000;

/**
 * Brings the folder to the installed versions. A version that this server cannot take up is tried
 * again with growing pauses; until then the version in the folder, if there is one, stays in use.
 */
export function createInstallFollower(deps: FollowDeps): InstallFollower {
  const { db, folders, now, log } = deps;
  const publishing = new Set<string>();
  const retries = createRetries({ now });
  const stopping = new AbortController();
  let purgedAt = Number.NEGATIVE_INFINITY;

  async function follow(): Promise<void> {
    // Read before the installs: a copy that is missing in them was really removed.
    const copies = await listLocalCopies(folders);
    const refused = new Set(
      (await deps.scan()).filter(({ refusal }) => refusal !== null).map(({ key }) => key),
    );
    const installs = await listPluginInstalls(db);
    const keys = new Set(installs.map(({ key }) => key));
    for (const key of retries.listOthers(keys)) await clearProblem(key);
    for (const [key, copy] of copies) {
      if (keys.has(key) || publishing.has(key) || !isCopyOfBuild(copy)) continue;
      await removeFiles(folders, { key, id: deps.createId() });
      await deps.records.delete(key);
      log.info({ plugin: key }, "plugin removed, as on the other servers");
      await deps.onChange();
    }
    for (const install of installs) {
      if (stopping.signal.aborted) return;
      if (!publishing.has(install.key)) await followInstall(install, refused.has(install.key));
    }
    if (now() - purgedAt < purgeEveryMs) return;
    await purgePluginChunks(db, { storedBefore: now() - unusedMsMin });
    await deps.records.purge(now() - recordMsMax);
    purgedAt = now();
  }

  async function followInstall(install: PluginInstall, isRefused: boolean): Promise<void> {
    const { key, version } = install;
    const build = findBuild(install, deps.verify.hostPlatform);
    const copy = await findLocalCopy(folders, key);
    const isPresent = build !== null && copy.kind === "version" && copy.build === build.id;
    if (isPresent && !isRefused) return await clearProblem(key);
    const attempt = `${install.id} ${build?.id}`;
    if (!retries.isDue(key, attempt)) return;
    try {
      if (copy.kind === "manual") throw refuseManual(key);
      if (build === null) await takeFromCatalog(install);
      else {
        const { signal } = stopping;
        await takeBuild(deps, { install, build, isRepair: isPresent, signal });
      }
    } catch (thrown) {
      if (stopping.signal.aborted) return;
      return await recordFailure(install, attempt, thrown);
    }
    await clearProblem(key);
    log.info({ plugin: key, version }, "plugin taken up from the database");
    await deps.onChange();
  }

  async function takeFromCatalog(install: PluginInstall): Promise<void> {
    try {
      await deps.installFromCatalog(install, stopping.signal);
    } catch (thrown) {
      if (!(thrown instanceof HubError) || thrown.code === "conflict") throw thrown;
      const { hostPlatform } = deps.verify;
      throw new HubError(
        "plugin_refused",
        `There is no build for ${hostPlatform}: install the archive for ${hostPlatform} on this server. The catalog gives none. ${thrown.message}`,
        { cause: thrown },
      );
    }
  }

  async function recordFailure(install: PluginInstall, attempt: string, thrown: unknown) {
    const { key, version } = install;
    const reason = toReason(thrown);
    const message = `Version ${version} is installed for all servers, but this server cannot use it. ${reason}`;
    const isNew = retries.fail(key, attempt, message);
    // Another server was faster, so the next attempt is for another build.
    if (thrown instanceof HubError && thrown.code === "conflict") return;
    if (isNew) log.warn({ plugin: key, version, err: thrown }, `plugin not taken up. ${message}`);
    const instanceId = deps.findInstanceId();
    if (instanceId === null) return;
    await putPluginProblem(db, { instanceId, key, message, recordedAt: now() });
  }

  async function clearProblem(key: string): Promise<void> {
    if (!retries.clear(key)) return;
    const instanceId = deps.findInstanceId();
    if (instanceId !== null) await deletePluginProblem(db, { instanceId, key });
  }

  return {
    follow,
    findFailure: ({ key, id }) => retries.findMessage(key, id),
    publishing,
    stop: () => stopping.abort(),
  };
}

function isCopyOfBuild(copy: LocalCopy): boolean {
  return copy.kind === "version" && copy.build !== null;
}

export function refuseManual(key: string): HubError {
  return new HubError(
    "plugin_refused",
    `The folder plugins/${key} in its data folder was copied there by hand. Move it away; the server then fetches the installed version.`,
  );
}

function toReason(thrown: unknown): string {
  if (thrown instanceof HubError) return thrown.message;
  return "The reason is in its log.";
}
