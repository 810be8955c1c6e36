import type { KeyList } from "@hub/contract/key.ts";
import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { command, group } from "../declare/command.ts";
import { argument } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";

const loadKeys = () => import("@hub/server/services/keys/manage-keys.ts");

export const define = group(
  {
    about:
      "Keys encrypt the stored secrets and the tokens that clients hold. Only the ids of keys are shown.",
    heading: "Example",
    examples: ["keys rotate", "keys remove 1f3a77c0"],
  },
  [
    command("list", "list the keys and how many stored secrets each encrypts", {
      does: async ({ services }) => (await loadKeys()).listKeys(services),
      shows: toKeyText,
    }),
    command(
      "rotate",
      "make a new key (with HUB_ENC_KEY: use its first) and encrypt every stored secret with it",
      {
        does: async ({ services, actor }) => (await loadKeys()).rotateKeys(services, actor),
        shows(done) {
          const text = `The key ${done.sealing} is in use now. Stored secrets encrypted again: ${done.resealed_values}.`;
          const next = "Tokens that clients hold stay valid until their key is removed.";
          return `${text}\n${next}\n\n${toKeyText(done)}`;
        },
      },
    ),
    command("remove", "delete a key; value tokens made with it can no longer be opened", {
      takes: { id: argument("<id>", "id of the key") },
      does: async ({ services, actor }, { id }) =>
        (await loadKeys()).removeKey(services, actor, id),
      shows: (list) => `Removed.\n\n${toKeyText(list)}`,
    }),
    defineAdopt,
    defineEnv,
  ],
);

function defineAdopt(keys: Command, cli: Cli): void {
  keys
    .command("adopt")
    .description("with HUB_ENC_KEY: start with its keys, although the key that encrypted is lost")
    .action(async (_: unknown, command: Command) => {
      const { config } = await cli.loadConfig(command);
      const { obeyMarks } = await import("@hub/server/compose/obey-marks.ts");
      await obeyMarks(config, cli.name);
      const { refuseNoHub } = await import("@hub/server/compose/database/refuse-no-hub.ts");
      refuseNoHub(config, cli.name);
      const { adoptKeys } = await import("@hub/server/compose/keys/adopt-keys.ts");
      const { createLog } = await import("@hub/server/lib/logs/create-log.ts");
      const adopted = await adoptKeys(config, createLog("silent"));
      const lost = adopted.lost_values;
      const next =
        lost === 0
          ? ""
          : ` Set these again, because calls of their rows fail: ${cli.name} doctor names them.`;
      const text = `New secrets are encrypted with the key ${adopted.sealing}. Stored secrets that no key opens: ${lost}.${next}`;
      cli.print(command, { json: adopted, text });
    });
}

function defineEnv(keys: Command, cli: Cli): void {
  keys
    .command("env")
    .option("--show", "print the line itself, which contains the keys")
    .description("show how the key file of the data folder becomes HUB_ENC_KEY, for PostgreSQL")
    .action(async (options: { show?: true }, command: Command) => {
      const config = await loadFolderConfig(cli, command);
      const { toEnvironment } = await import("@hub/server/compose/keys/keys-environment.ts");
      const { line, ids } = await toEnvironment(config.dataDir);
      const shown = options.show === true ? { line } : {};
      const named = ids.map((id, index) => (index === 0 ? `${id} (encrypts)` : id)).join(", ");
      const file = `The key file in ${config.dataDir} has these keys, in the order of HUB_ENC_KEY: ${named}.`;
      const how = `Print the line with: ${cli.name} keys env --show`;
      const note = "Everyone with this line can open the stored secrets. Keep it like a password.";
      cli.print(command, {
        json: { keys: ids, ...shown },
        ...(options.show === true ? { text: line, note } : { text: `${file}\n${how}` }),
      });
    });
}

/** Without HUB_DATABASE_URL, which needs the keys that this command prints. */
async function loadFolderConfig(cli: Cli, command: Command) {
  const { HUB_DATABASE_URL: _url, HUB_ENC_KEY: _keys, ...env } = cli.terminal.env;
  return (await cli.loadConfig(command, { env })).config;
}

const toKeyTable = table<KeyList["keys"][number]>(
  [
    ["key", "id"],
    ["encrypts", ({ sealing }) => (sealing ? "yes" : "no")],
    ["stored secrets", "sealed_values"],
  ],
  "There are no keys.",
);

function toKeyText({ origin, keys }: KeyList): string {
  const source = origin === "file" ? "the key file in the data folder" : "HUB_ENC_KEY";
  return `${toKeyTable(keys)}\n\nThe keys come from ${source}.`;
}
