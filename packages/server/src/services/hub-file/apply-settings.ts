import type { HubFile } from "@hub/contract/hub-file.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { transaction } from "../../store/database/database.ts";
import { listDisabledTypes } from "../../store/rows/switches.ts";
import { listStoredSettings } from "../../store/settings/settings-table.ts";
import { countTags, EVERYONE_TAG, ensureTags, toTagNames } from "../../store/tags/tags-table.ts";
import { findLiveSetting } from "../../stored-settings.ts";
import { disableType, enableType } from "../connectors/connector-types.ts";
import { resetSetting, setSetting } from "../manage-settings.ts";
import { type ApplyContext, at } from "./apply-context.ts";

/** Stored settings. Pruning resets those that the file does not name. */
export async function applySettings(
  context: ApplyContext,
  { settings }: Pick<HubFile, "settings">,
): Promise<void> {
  if (settings === undefined) return;
  const { deps, author, changes, isPruning } = context;
  const present = await listStoredSettings(deps.store.db);
  for (const [name, to] of Object.entries(settings)) {
    const from = present.get(name) ?? null;
    if (from === to.trim()) continue;
    await at(context, ["settings", name], () => setSetting(deps, author.actor, name, to));
    const fields = [{ field: "value", from, to, secret: false }];
    changes.push({ action: "update", kind: "setting", name, id: null, fields });
  }
  if (!isPruning) return;
  for (const [name, from] of present) {
    if (Object.hasOwn(settings, name) || findLiveSetting(name) === null) continue;
    await at(context, ["settings"], () => resetSetting(deps, author.actor, name));
    const fields = [{ field: "value", from, to: null, secret: false }];
    changes.push({ action: "delete", kind: "setting", name, id: null, fields });
  }
}

/** Tags that nobody has yet. Tags are never taken away: rows and users lose them in their own lists. */
export async function applyTags(
  context: ApplyContext,
  { tags }: Pick<HubFile, "tags">,
): Promise<void> {
  if (tags === undefined) return;
  const { deps, author, changes } = context;
  const present = new Set((await countTags(deps.store.db)).map(({ name }) => name));
  for (const [index, tag] of tags.entries()) {
    await at(context, ["tags", index], async () => {
      const [name = tag] = toTagNames([tag]);
      if (present.has(name) || name === EVERYONE_TAG) return;
      const stamp = stampChange(author.actor, deps.now());
      await transaction(deps.store.db, async (trx) => {
        await ensureTags(trx, [name], stamp.changedAt);
        await recordChange(trx, stamp, { action: "tag.create", kind: "tag", id: name, name });
      });
      present.add(name);
      changes.push({ action: "create", kind: "tag", name, id: null, fields: [] });
    });
  }
}

/** Which connectors are disabled as a whole. `missing` are those of plugins that a dry run did not install. */
export async function applyConnectors(
  context: ApplyContext,
  { disabled_connectors: disabled }: Pick<HubFile, "disabled_connectors">,
  missing: ReadonlySet<string>,
): Promise<void> {
  if (disabled === undefined) return;
  const { deps, author, changes } = context;
  const present = await listDisabledTypes(deps.store.db);
  for (const [index, key] of disabled.entries()) {
    if (present.has(key) || missing.has(key)) continue;
    await at(context, ["disabled_connectors", index], () => disableType(deps, author.actor, key));
    changes.push({ action: "disable", kind: "connector", name: key, id: null, fields: [] });
  }
  for (const key of present) {
    // The switch of a connector that is not installed here stays.
    if (disabled.includes(key) || deps.registry.find(key) === null) continue;
    await enableType(deps, author.actor, key);
    const fields = [{ field: "enabled", from: false, to: true, secret: false }];
    changes.push({ action: "update", kind: "connector", name: key, id: null, fields });
  }
}
