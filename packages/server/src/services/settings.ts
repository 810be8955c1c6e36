import type { Setting } from "@hub/contract/doctor.ts";
import type { Actor } from "../changes/actor.ts";
import { recordChange, stampChange } from "../changes/record-change.ts";
import { parseSetting } from "../config.ts";
import { HubError } from "../errors.ts";
import { transaction } from "../store/database.ts";
import { listStoredSettings, setStoredSetting } from "../store/settings.ts";
import { findLiveSetting, type LiveSettingName, reportSettings } from "../stored-settings.ts";
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
): Promise<Setting> {
  const name = checkLive(await listSettings(deps), variable);
  const text = value.trim();
  parseSetting(name, text);
  return await change(deps, actor, variable, text);
}

/** Deletes the stored value, so that the default applies again. */
export async function resetSetting(
  deps: SettingDeps,
  actor: Actor,
  variable: string,
): Promise<Setting> {
  // A stored value that the environment overrides may be deleted too.
  if (findLiveSetting(variable) === null) checkLive(await listSettings(deps), variable);
  return await change(deps, actor, variable, null);
}

async function change(
  { store, config, now }: SettingDeps,
  actor: Actor,
  variable: string,
  text: string | null,
): Promise<Setting> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const read = async () =>
      findSetting(reportSettings(config, await listStoredSettings(trx)), variable);
    const before = await read();
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

function findSetting(settings: readonly Setting[], variable: string): Setting {
  const found = settings.find(({ name }) => name === variable);
  if (found !== undefined) return found;
  throw new HubError(
    "not_found",
    `There is no setting "${variable}". List the settings to see their names.`,
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
