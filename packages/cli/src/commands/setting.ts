import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toTable } from "../table.ts";

const loadSettings = () => import("@hub/server/services/settings.ts");

export function define(setting: Command, cli: Cli): void {
  setting.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} setting set HUB_AUDIT_RETENTION_DAYS 30
  $ ${cli.name} setting reset HUB_AUDIT_RETENTION_DAYS`,
  );

  setting
    .command("list")
    .description("list the settings that can be changed while the hub runs")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const { listSettings } = await loadSettings();
        const settings = (await listSettings(services)).filter(({ changeable }) => changeable);
        const text = toTable(
          settings,
          [
            ["setting", (shown) => shown.name],
            ["value", (shown) => shown.value],
            ["from", (shown) => shown.origin],
            ["meaning", (shown) => shown.description],
          ],
          "Flags or environment variables set all of them.",
        );
        return { json: settings, text };
      }),
    );

  setting
    .command("set")
    .argument("<name>", "its variable, such as HUB_AUDIT_RETENTION_DAYS")
    .argument("<value>", "the new value")
    .description("store a setting; every process uses it from its next call on")
    .action((name: string, value: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor }) => {
        const { setSetting } = await loadSettings();
        const shown = await setSetting(services, actor, name, value);
        return { json: shown, text: `${shown.name} is now ${shown.value}.` };
      }),
    );

  setting
    .command("reset")
    .argument("<name>", "its variable, such as HUB_AUDIT_RETENTION_DAYS")
    .description("delete a stored setting, so that its default applies")
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor }) => {
        const { resetSetting } = await loadSettings();
        const shown = await resetSetting(services, actor, name);
        return { json: shown, text: `${shown.name} is ${shown.value} again.` };
      }),
    );
}
