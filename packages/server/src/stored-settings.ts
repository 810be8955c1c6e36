import type { Setting } from "@hub/contract/doctor.ts";
import { type Config, parseSetting, toVariable } from "./config.ts";
import { type LiveSettingName, liveSettingNames } from "./settings/all-settings.ts";

/** The effective values of the settings that an admin may change while the hub runs. */
export type LiveSettings = Readonly<Pick<Config, LiveSettingName>>;

/** The stored values by variable name, such as `HUB_RESULT_BYTES_MAX`. */
export type StoredSettings = ReadonlyMap<string, string>;

/**
 * The effective values: a flag or variable, else the stored value, else the default. So the operator
 * of the process can override the hub's admins.
 */
export function toLiveSettings(config: Config, stored: StoredSettings): LiveSettings {
  const values: Partial<Record<LiveSettingName, number>> = {};
  for (const name of liveSettingNames) {
    values[name] = findStored(config, stored, name)?.value ?? config[name];
  }
  // Every name has a value.
  return values as LiveSettings;
}

/** The effective value and origin of every setting. */
export function reportSettings(config: Config, stored: StoredSettings): Setting[] {
  return config.settings.map(({ name, value, origin, description }) => {
    const live = findLiveSetting(name);
    const changeable = live !== null && origin === "default";
    const found = live === null ? null : findStored(config, stored, live);
    const inForce =
      found === null ? { value, origin } : { value: found.text, origin: "stored" as const };
    return { name, description, ...inForce, changeable };
  });
}

/** Null for a variable that is not a live setting. */
export function findLiveSetting(variable: string): LiveSettingName | null {
  return liveSettingNames.find((name) => toVariable(name) === variable) ?? null;
}

/** Null if nothing is stored or the process sets the value. */
function findStored(
  config: Config,
  stored: StoredSettings,
  name: LiveSettingName,
): { text: string; value: number } | null {
  const variable = toVariable(name);
  const text = stored.get(variable);
  const isGiven = config.settings.some((one) => one.name === variable && one.origin !== "default");
  if (text === undefined || isGiven) return null;
  try {
    return { text, value: parseSetting(name, text) };
  } catch {
    // Stored by a version of the hub that allowed other values.
    return null;
  }
}
