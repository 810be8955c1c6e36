import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import type { Config } from "../../config.ts";
import type { KeptKeys } from "../../connectors/kept-keys.ts";
import { listPluginNames, toPluginFolders } from "../../plugins/installed/plugin-folders.ts";
import { listPluginInstalls } from "../../store/plugins/plugin-installs.ts";
import {
  claimChannels,
  claimRows,
  listRowOwners,
  wasPluginInstalled,
} from "../../store/rows/row-owners.ts";
import type { RowOwner } from "../../store/rows/row-record.ts";
import type { Store } from "../../store/store.ts";

/** Every hub had these from its first version on. */
const firstKeys: ReadonlySet<string> = new Set(["http", "hub"]);

/** Also decides about rows that have no owner yet. `keys` are those of this program's connectors. */
export async function findKeptKeys(
  config: Config,
  store: Store,
  keys: readonly string[],
): Promise<KeptKeys> {
  const names = new Set(await listInstalled(config, store));
  let owners = await listRowOwners(store.db);
  // Only of rows that are older than owners, so that other starts write nothing.
  if ([...owners.values()].some((ofKey) => ofKey.has(null))) {
    await claimChannels(store.db);
    owners = await listRowOwners(store.db);
  }
  const kept = new Map<string, string | null>();
  const claims = new Map<string, RowOwner>();
  const claim = (key: string, owner: RowOwner) => {
    if (owners.get(key)?.has(null)) claims.set(key, owner);
  };
  for (const key of keys) {
    const ownKey = `${ownKeyPrefix}${key}`;
    const isTaken = names.has(ownKey) || owners.get(ownKey)?.has("plugin") === true;
    const isKept =
      !firstKeys.has(key) &&
      (await isOfPlugin(store, key, {
        ofRows: owners.get(key) ?? new Set(),
        isInstalled: names.has(key),
        isMoved: !isTaken && owners.has(ownKey),
      }));
    if (isKept) kept.set(key, isTaken ? null : ownKey);
    // Beside channels, the rows without an owner are those of the plugin.
    const isBeside = !firstKeys.has(key) && names.has(key) && owners.get(key)?.has("built-in");
    claim(key, isKept || isBeside ? "plugin" : "built-in");
    if (isKept && !isTaken) claim(ownKey, "built-in");
  }
  for (const name of names) if (!claims.has(name)) claim(name, "plugin");
  await claimRows(store.db, claims);
  return kept;
}

type Facts = { ofRows: ReadonlySet<RowOwner | null>; isInstalled: boolean; isMoved: boolean };

async function isOfPlugin(
  store: Store,
  key: string,
  { ofRows, isInstalled, isMoved }: Facts,
): Promise<boolean> {
  if (ofRows.has("plugin")) return true;
  if (ofRows.has("built-in")) return false;
  if (isInstalled || isMoved) return true;
  // Rows without an owner, of a plugin that was removed before the hub had owners.
  return ofRows.has(null) && (await wasPluginInstalled(store.db, key));
}

async function listInstalled(config: Config, store: Store): Promise<string[]> {
  return store.isShared
    ? (await listPluginInstalls(store.db)).map(({ key }) => key)
    : await listPluginNames(toPluginFolders(config.dataDir));
}
