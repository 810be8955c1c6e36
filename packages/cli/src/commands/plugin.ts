import type { Problem } from "@hub/contract/problem-document.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toProblem, writeProblem } from "../errors/report-failure.ts";
import { exitCodes, toUsageError } from "../errors/usage-error.ts";
import { createPluginProgress } from "../plugins/plugin-progress.ts";
import { toPluginFacts, toPluginList, toSearchText, toUpdateText } from "../plugins/plugin-text.ts";
import { isJsonWanted } from "../text/print-answer.ts";

const loadPlugins = () => import("@hub/server/services/plugins/manage-plugins.ts");

type InstallOptions = { allowDowngrade?: true; insecure?: true; replace?: true };
type UpdateOptions = { all?: true; insecure?: true; replace?: true };
type FailedUpdate = Problem & { key: string; updated: false };

const replaceOption = [
  "--replace",
  "replace an installed plugin that came from another source",
] as const;

const pluginArgument = ["<plugin>", "key of the plugin"] as const;

export function define(plugin: Command, cli: Cli): void {
  plugin.addHelpText(
    "after",
    `
Examples:
  $ ${cli.name} plugin search logs
  $ ${cli.name} plugin install logs
  $ ${cli.name} plugin install ./tracker-1.0.0-linux-amd64.zip
  $ ${cli.name} plugin update --all`,
  );

  plugin
    .command("search")
    .argument("[query]", "words in the key, name or description")
    .description("search the catalog")
    .action((query: string | undefined, _: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const found = await (await loadPlugins()).searchPlugins(services, query);
        return { json: found, text: toSearchText(found) };
      }),
    );

  plugin
    .command("install")
    .argument("<source>", "name in the catalog, folder, .zip or .tar.gz file, or https URL")
    .description("verify and install a plugin, also into a running hub")
    .option("--allow-downgrade", "replace a later version by an older one")
    .option(...replaceOption)
    .option("--insecure", "allow downloads over http, which others on the network can change")
    .action((source: string, options: InstallOptions, command: Command) =>
      cli.answer(command, async ({ services, actor }) => {
        const { installPlugin } = await loadPlugins();
        const progress = createPluginProgress(cli.terminal, source);
        const installed = await progress.show((onProgress) => {
          const input = { ...options, cwd: cli.terminal.cwd, onProgress };
          return installPlugin(services, actor, source, input);
        });
        const next = `Configure it: ${cli.name} row add ${installed.key} --label LABEL`;
        return { json: installed, text: `Installed.\n\n${toPluginFacts(installed)}\n\n${next}` };
      }),
    );

  plugin
    .command("update")
    .argument("[plugin]", "key of the plugin")
    .description("install the catalog's version if it is later than the installed one")
    .option("--all", "update every installed plugin that is in the catalog")
    .option(...replaceOption)
    .option("--insecure", "allow downloads over http, which others on the network can change")
    .action((key: string | undefined, options: UpdateOptions, command: Command) =>
      update(cli, command, { key, ...options }),
    );

  plugin
    .command("list")
    .description("list installed plugins")
    .action((_: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const plugins = await (await loadPlugins()).listPlugins(services);
        return { json: plugins, text: toPluginList(plugins) };
      }),
    );

  plugin
    .command("info")
    .argument(...pluginArgument)
    .description("show one installed plugin")
    .action((key: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services }) => {
        const shown = await (await loadPlugins()).showPlugin(services, key);
        return { json: shown, text: toPluginFacts(shown) };
      }),
    );

  for (const verb of ["enable", "disable"] as const) {
    plugin
      .command(verb)
      .argument(...pluginArgument)
      .description(
        verb === "enable"
          ? "enable a plugin, so that it can be called again"
          : "disable a plugin; its files and rows are kept",
      )
      .action((key: string, _: unknown, command: Command) =>
        cli.answer(command, async ({ services, actor }) => {
          const setPlugin = (await loadPlugins())[`${verb}Plugin`];
          const changed = await setPlugin(services, actor, key);
          return { json: changed, text: `The plugin ${changed.key} is ${verb}d.` };
        }),
      );
  }

  plugin
    .command("remove")
    .argument(...pluginArgument)
    .description("delete a plugin; its rows are kept and work again when it is reinstalled")
    .option("--data", "also delete the data that its program stored, even if it is removed already")
    .action((key: string, { data = false }: { data?: boolean }, command: Command) =>
      cli.answer(command, async ({ services, actor }) => {
        const { removePlugin } = await loadPlugins();
        const removed = await removePlugin(services, actor, key, { withData: data });
        const kept = data
          ? "Its rows are kept; the data that its program stored is deleted."
          : `Its rows and the data that its program stored are kept. To delete the data, run \`${cli.name} plugin remove ${removed.key} --data\`.`;
        return { json: removed, text: `Removed ${removed.key}. ${kept}` };
      }),
    );
}

async function update(
  cli: Cli,
  command: Command,
  { key, all, ...options }: UpdateOptions & { key: string | undefined },
): Promise<void> {
  if ((key === undefined) !== (all === true)) {
    throw toUsageError("Name one plugin, or give --all.");
  }
  if (all && options.replace) {
    throw toUsageError(
      "--replace works on one plugin at a time. Name the plugin instead of --all.",
    );
  }
  const input = { ...options, cwd: cli.terminal.cwd };
  const isJson = isJsonWanted(command);
  await cli.answer(command, async ({ services, actor }) => {
    const { updatePlugin, updateAllPlugins } = await loadPlugins();
    const progress = createPluginProgress(cli.terminal, key ?? "plugins");
    if (key !== undefined) {
      const updated = await progress.show((onProgress) =>
        updatePlugin(services, actor, key, { ...input, onProgress }),
      );
      return { json: updated, text: toUpdateText(updated) };
    }
    const failures: FailedUpdate[] = [];
    const updates = await progress.show((onProgress) =>
      updateAllPlugins(services, actor, {
        ...input,
        onProgress,
        onFailure: (failed, failure) =>
          failures.push({ ...toProblem(failure), key: failed, updated: false }),
      }),
    );
    for (const { key: plugin, updated: _, ...problem } of failures) {
      const error = isJson ? problem.error : `${plugin}: ${problem.error}`;
      const named = { ...problem, plugin, error };
      writeProblem(cli.terminal, named, isJson);
    }
    if (failures.length > 0) process.exitCode = exitCodes.failure;
    const nothing = failures.length === 0 ? "Nothing to update." : "Nothing was updated.";
    return {
      json: [...updates, ...failures].sort((a, b) => (a.key < b.key ? -1 : 1)),
      text: updates.map(toUpdateText).join("\n") || nothing,
    };
  });
}
