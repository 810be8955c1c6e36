import { suggest } from "@hub/connector";
import type { Setting } from "@hub/contract/doctor.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../changes/actor.ts";
import { recordChange, stampChange } from "../changes/record-change.ts";
import { parseSetting } from "../config.ts";
import { HubError } from "../errors.ts";
import type { LiveSettingName } from "../settings/all-settings.ts";
import { listChanges } from "../store/changes-table.ts";
import { type Transaction, transaction } from "../store/database/database.ts";
import { listStoredSettings, setStoredSetting } from "../store/settings/settings-table.ts";
import { findLiveSetting, reportSettings } from "../stored-settings.ts";
import type { ServiceDeps } from "./service-deps.ts";

type SettingDeps = Pick<ServiceDeps, "store" | "config" | "now">;

/** The hub's settings, named by their variables, such as `HUB_AUDIT_RETENTION_DAYS`. */
export async function listSettings({
  store,
  config,
}: Pick<SettingDeps, "store" | "config">): Promise<Setting[]> {
  return reportSettings(config, await listStoredSettings(store.db));
}

/** Stores a value. Every process uses it from its next call on. */
export async function setSetting(
  deps: SettingDeps,
  actor: Actor,
  variable: string,
  value: string,
  read: ReadValue = {},
): Promise<Setting> {
  const name = checkLive(await listSettings(deps), variable);
  const text = value.trim();
  parseSetting(name, text);
  return await change(deps, actor, variable, { text, ...read });
}

/** Deletes the stored value, so that the default applies again. */
export async function resetSetting(
  deps: SettingDeps,
  actor: Actor,
  variable: string,
  read: ReadValue = {},
): Promise<Setting> {
  // A stored value that the environment overrides may be deleted too.
  if (findLiveSetting(variable) === null) checkLive(await listSettings(deps), variable);
  return await change(deps, actor, variable, { text: null, ...read });
}

/** The value that the caller read. If the setting has another one, nothing is changed. */
type ReadValue = { from?: string | null | undefined };

async function change(
  { store, config, now }: SettingDeps,
  actor: Actor,
  variable: string,
  { text, from }: { text: string | null } & ReadValue,
): Promise<Setting> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const read = async () =>
      findSetting(reportSettings(config, await listStoredSettings(trx)), variable);
    const before = await read();
    if (from !== undefined && from !== before.value) throw await describeConflict(trx, before);
    await setStoredSetting(trx, variable, text);
    const after = await read();
    await recordChange(trx, stamp, {
      action: text === null ? "setting.reset" : "setting.update",
      kind: "setting",
      id: variable,
      name: variable,
      detail: { from: before.value, to: after.value },
    });
    return after;
  });
}

/** Says to which value the setting was changed meanwhile, by whom and when. */
async function describeConflict(trx: Transaction, { name, value }: Setting): Promise<HubError> {
  const [last] = await listChanges(trx, { targetKind: "setting", targetId: name, limit: 1 });
  const who = last === undefined ? "" : ` by ${last.actor}`;
  const changed_at = last === undefined ? null : toTimeText(last.changedAt);
  return new HubError(
    "conflict",
    `${name} was changed to ${value ?? "nothing"}${who} since you read it. Look at the new value, then decide.`,
    { detail: { value, changed_by: last?.actor ?? null, changed_at } },
  );
}

function findSetting(settings: readonly Setting[], variable: string): Setting {
  const found = settings.find(({ name }) => name === variable);
  if (found !== undefined) return found;
  throw new HubError(
    "not_found",
    `There is no setting "${variable}".${suggest(
      variable,
      settings.map(({ name }) => name),
    )} List the settings to see their names.`,
  );
}

/** Throws if a stored value of the setting would have no effect. */
function checkLive(settings: readonly Setting[], variable: string): LiveSettingName {
  const { origin } = findSetting(settings, variable);
  const name = findLiveSetting(variable);
  if (name === null) {
    throw new HubError(
      "bad_request",
      `${variable} is read when the hub starts. Set it in the environment, then restart the hub.`,
    );
  }
  if (origin === "environment" || origin === "flag") {
    const place = origin === "flag" ? "by a flag" : "in the environment";
    throw new HubError(
      "conflict",
      `${variable} is set ${place}, which takes precedence. Remove it there, then restart the hub.`,
    );
  }
  return name;
}
