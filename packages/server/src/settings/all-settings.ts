import { z } from "zod";
import { bridgeSettings } from "./bridge-settings.ts";
import { dataSettings } from "./data-settings.ts";
import { embeddingsSettings } from "./embeddings-settings.ts";
import { limitSettings } from "./limit-settings.ts";
import { machineSettings } from "./machine-settings.ts";
import { networkSettings } from "./network-settings.ts";
import { pluginSettings } from "./plugin-settings.ts";
import type { Setting, Settings } from "./setting.ts";
import { signInSettings } from "./sign-in-settings.ts";
import { workflowSettings } from "./workflow-settings.ts";

/** All settings, in the order of help and `hub doctor`. A new one is an entry of one of these files. */
const settings = {
  ...networkSettings,
  ...signInSettings,
  ...machineSettings,
  ...dataSettings,
  ...bridgeSettings,
  ...workflowSettings,
  ...limitSettings,
  ...pluginSettings,
  ...embeddingsSettings,
} as const satisfies Settings;

export type SettingName = keyof typeof settings;

/** Of each setting what it is and what it expects. */
export const settingSpecs: Readonly<Record<SettingName, Setting>> = settings;

/** Parses the texts of settings. Settings that are not given have their defaults. */
export const valuesSchema = z.object(toShape(settings));

export type Values = z.output<typeof valuesSchema>;

/** Settings that an admin may change while the hub runs. */
export type LiveSettingName = {
  [Name in SettingName]: (typeof settings)[Name] extends { isLive: true } ? Name : never;
}[SettingName];

export const liveSettingNames = valuesSchema.keyof().options.filter(isLive);

function isLive(name: SettingName): name is LiveSettingName {
  return settingSpecs[name].isLive === true;
}

function toShape<Named extends Settings>(named: Named) {
  const shape = Object.fromEntries(
    Object.entries(named).map(([name, { schema }]) => [name, schema]),
  );
  // Each name has its own schema.
  return shape as { [Name in keyof Named]: Named[Name]["schema"] };
}
