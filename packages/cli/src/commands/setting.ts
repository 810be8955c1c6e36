import type { Setting } from "@hub/contract/doctor.ts";
import { command, group } from "../declare/command.ts";
import { argument } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";

const loadSettings = () => import("@hub/server/services/manage-settings.ts");

const name = argument("<name>", "its variable, such as HUB_AUDIT_RETENTION_DAYS");

export const define = group(
  {
    examples: ["setting set HUB_AUDIT_RETENTION_DAYS 30", "setting reset HUB_AUDIT_RETENTION_DAYS"],
  },
  [
    command("list", "list the settings that can be changed while the hub runs", {
      does: async ({ services }) =>
        (await (await loadSettings()).listSettings(services)).filter(
          ({ changeable }) => changeable,
        ),
      shows: table<Setting>(
        [["setting", "name"], "value", ["from", "origin"], ["meaning", "description"]],
        "Flags or environment variables set all of them.",
      ),
    }),
    command("set", "store a setting; every process uses it from its next call on", {
      takes: { name, value: argument("<value>", "the new value") },
      does: async ({ services, actor }, given) =>
        (await loadSettings()).setSetting(services, actor, given.name, given.value),
      shows: (shown) => `${shown.name} is now ${shown.value}.`,
    }),
    command("reset", "delete a stored setting, so that its default applies", {
      takes: { name },
      does: async ({ services, actor }, given) =>
        (await loadSettings()).resetSetting(services, actor, given.name),
      shows: (shown) => `${shown.name} is ${shown.value} again.`,
    }),
  ],
);
