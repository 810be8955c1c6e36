/** Why a row has no connector. */
export type Absence = {
  /** For a badge. */
  short: string;
  /** What to do about it. */
  advice: string;
};

/** For the plugin of a connector, which is undefined if it is not installed. */
export function toAbsence(
  plugin: { enabled: boolean; problem: string | null } | undefined,
): Absence {
  if (plugin === undefined) {
    return {
      short: "Not installed",
      advice: "Install its plugin again to use the row. The settings are kept.",
    };
  }
  if (!plugin.enabled) {
    return {
      short: "Plugin disabled",
      advice: "Enable its plugin to use the row. The settings are kept.",
    };
  }
  if (plugin.problem !== null) return { short: "Plugin fails", advice: plugin.problem };
  return { short: "Not ready", advice: "Its plugin is being registered. Wait a little." };
}
