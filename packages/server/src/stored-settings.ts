import type { Setting } from "@hub/contract/doctor.ts";
import { type Config, parseSetting, toVariable } from "./config.ts";
import type { SettingName } from "./setting-values.ts";

/** Settings that an admin may change while the hub runs: no part of the hub is built around them. */
export const liveSettingNames = [
  "resultBytesMax",
  "auditRetentionDays",
  "auditBytesMax",
  "userCallsPerMinute",
  "userCallsAtOnce",
  "rowCallsPerMinute",
  "rowCallsAtOnce",
] as const satisfies readonly SettingName[];

export type LiveSettingName = (typeof liveSettingNames)[number];

/** Their values in force. */
export type LiveSettings = Readonly<Pick<Config, LiveSettingName>>;

/** What the database holds, by the name of the variable, such as `HUB_RESULT_BYTES_MAX`. */
export type StoredSettings = ReadonlyMap<string, string>;

/**
 * What is in force: a flag or variable, else what is stored, else the default. Whoever runs the
 * process has the last word over whoever manages the hub.
 */
export function toLiveSettings(config: Config, stored: StoredSettings): LiveSettings {
  const values: Partial<Record<LiveSettingName, number>> = {};
  for (const name of liveSettingNames) {
    values[name] = findStored(config, stored, name)?.value ?? config[name];
  }
  // Each name was just given its value.
  return values as LiveSettings;
}

/** Every setting as it is in force, and where it came from. */
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

/** Null for a variable that is no setting of this kind. */
export function findLiveSetting(variable: string): LiveSettingName | null {
  return liveSettingNames.find((name) => toVariable(name) === variable) ?? null;
}

/** Null where nothing is stored, or the process was given a value. */
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
    // Stored by a version of the hub that allowed more: the default is what this one can do.
    return null;
  }
}
