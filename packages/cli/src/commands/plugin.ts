import type { Problem } from "@hub/contract/problem-document.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { command, group, switches } from "../declare/command.ts";
import { argument, flag } from "../declare/parameters.ts";
import { toProblem, writeProblem } from "../errors/report-failure.ts";
import { exitCodes, toUsageError } from "../errors/usage-error.ts";
import { createPluginProgress } from "../plugins/plugin-progress.ts";
import { toPluginFacts, toPluginList, toSearchText, toUpdateText } from "../plugins/plugin-text.ts";
import { isJsonWanted } from "../text/print-answer.ts";

const loadPlugins = () => import("@hub/server/services/plugins/manage-plugins.ts");

type UpdateOptions = { all?: true; insecure?: true; replace?: true };
type FailedUpdate = Problem & { key: string; updated: false };

const replace = "replace an installed plugin that came from another source";
const insecure = "allow downloads over http, which others on the network can change";

const takes = { key: argument("<plugin>", "key of the plugin") };

const switchTexts = {
  enable: "enable a plugin, so that it can be called again",
  disable: "disable a plugin; its files and rows are kept",
};

export const define = group(
  {
    examples: [
      "plugin search logs",
      "plugin install logs",
      "plugin install ./tracker-1.0.0-linux-amd64.zip",
      "plugin update --all",
    ],
  },
  [
    command("search", "search the catalog", {
      takes: { query: argument("[query]", "words in the key, name or description") },
      does: async ({ services }, { query }) => (await loadPlugins()).searchPlugins(services, query),
      shows: toSearchText,
    }),
    command("install", "verify and install a plugin, also into a running hub", {
      takes: {
        source: argument(
          "<source>",
          "name in the catalog, folder, .zip or .tar.gz file, or https URL",
        ),
        allowDowngrade: flag("replace a later version by an older one"),
        replace: flag(replace),
        insecure: flag(insecure),
      },
      async does({ services, actor }, { source, ...options }, { terminal }) {
        const { installPlugin } = await loadPlugins();
        return await createPluginProgress(terminal, source).show((onProgress) =>
          installPlugin(services, actor, source, { ...options, cwd: terminal.cwd, onProgress }),
        );
      },
      shows: (installed, _, { name }) =>
        `Installed.\n\n${toPluginFacts(installed)}\n\nConfigure it: ${name} row add ${installed.key} --label LABEL`,
    }),
    defineUpdate,
    command("list", "list installed plugins", {
      does: async ({ services }) => (await loadPlugins()).listPlugins(services),
      shows: toPluginList,
    }),
    command("info", "show one installed plugin", {
      takes,
      does: async ({ services }, { key }) => (await loadPlugins()).showPlugin(services, key),
      shows: toPluginFacts,
    }),
    ...switches.map((verb) =>
      command(verb, switchTexts[verb], {
        takes,
        does: async ({ services, actor }, { key }) =>
          (await loadPlugins())[`${verb}Plugin`](services, actor, key),
        shows: ({ key }) => `The plugin ${key} is ${verb}d.`,
      }),
    ),
    command("remove", "delete a plugin; its rows are kept and work again when it is reinstalled", {
      takes: {
        ...takes,
        data: flag("also delete the data that its program stored, even if it is removed already"),
      },
      does: async ({ services, actor }, { key, data: withData = false }) =>
        (await loadPlugins()).removePlugin(services, actor, key, { withData }),
      shows({ key }, { data }, { name }) {
        const kept = data
          ? "Its rows are kept; the data that its program stored is deleted."
          : `Its rows and the data that its program stored are kept. To delete the data, run \`${name} plugin remove ${key} --data\`.`;
        return `Removed ${key}. ${kept}`;
      },
    }),
  ],
);

function defineUpdate(plugin: Command, cli: Cli): void {
  plugin
    .command("update")
    .argument("[plugin]", "key of the plugin")
    .description("install the catalog's version if it is later than the installed one")
    .option("--all", "update every installed plugin that is in the catalog")
    .option("--replace", replace)
    .option("--insecure", insecure)
    .action((key: string | undefined, options: UpdateOptions, command: Command) =>
      update(cli, command, { key, ...options }),
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
