import type { Setting } from "@hub/contract/doctor.ts";
import { type Config, parseSetting } from "../config.ts";
import { HubError } from "../errors.ts";
import type { Store } from "../store/open-store.ts";
import { listStoredSettings, setStoredSetting } from "../store/settings.ts";
import type { Db } from "../store/tables.ts";
import { findLiveSetting, type LiveSettingName, reportSettings } from "../stored-settings.ts";
import type { ChangeRecorder } from "./change-recorder.ts";

type SettingDeps = { store: Store; config: Config; changes: ChangeRecorder };

/** Verbs on the hub's settings, each named by its variable, such as `HUB_AUDIT_RETENTION_DAYS`. */
export function createSettingVerbs({ store, config, changes }: SettingDeps) {
  const list = async (db: Db): Promise<Setting[]> =>
    reportSettings(config, await listStoredSettings(db));

  const change = (variable: string, text: string | null): Promise<Setting> =>
    store.transaction(async (trx) => {
      const before = findSetting(await list(trx), variable);
      await setStoredSetting(trx, variable, text);
      const after = findSetting(await list(trx), variable);
      await changes.record(trx, {
        action: text === null ? "setting.reset" : "setting.update",
        kind: "setting",
        id: variable,
        name: variable,
        detail: { from: before.value, to: after.value },
      });
      return after;
    });

  return {
    list: () => list(store.db),

    /** Stores a value: every process obeys it from its next call on. */
    async set(variable: string, value: string): Promise<Setting> {
      const name = checkLive(await list(store.db), variable);
      const text = value.trim();
      parseSetting(name, text);
      return await change(variable, text);
    },

    /** Forgets the stored value: the default is in force again. */
    async reset(variable: string): Promise<Setting> {
      // One that the environment gives may still be forgotten: nothing changes by it now.
      if (findLiveSetting(variable) === null) checkLive(await list(store.db), variable);
      return await change(variable, null);
    },
  };
}

function findSetting(settings: readonly Setting[], variable: string): Setting {
  const found = settings.find(({ name }) => name === variable);
  if (found !== undefined) return found;
  throw new HubError(
    "not_found",
    `There is no setting "${variable}". List the settings for their names.`,
  );
}

/** Throws unless a value that is stored would be the one in force. */
function checkLive(settings: readonly Setting[], variable: string): LiveSettingName {
  const { origin } = findSetting(settings, variable);
  const name = findLiveSetting(variable);
  if (name === null) {
    throw new HubError(
      "bad_request",
      `${variable} is read when the hub starts. Set it in the environment, and start anew.`,
    );
  }
  if (origin === "environment" || origin === "flag") {
    const place = origin === "flag" ? "by a flag" : "in the environment";
    throw new HubError(
      "conflict",
      `${variable} is given ${place}, which wins. Take it away there, and start anew.`,
    );
  }
  return name;
}
