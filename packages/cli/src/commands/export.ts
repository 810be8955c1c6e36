import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toNotCarriedText } from "../hub-file/hub-file-text.ts";

export function define(command: Command, cli: Cli): void {
  command
    .description("print the hub as a file: users, rows, workflows, plugins, settings and switches")
    .addHelpText(
      "after",
      `
The file has the names of secrets, never their values. Passwords, tokens, identities, recorded calls and the programs of
plugins are not in it: a backup has them, see \`${cli.name} backup --help\`.

Examples:
  $ ${cli.name} export > hub.yaml
  $ ${cli.name} export --json > hub.json
  $ ${cli.name} apply hub.yaml --dry-run`,
    )
    .action((_: unknown, given: Command) =>
      cli.answer(given, async ({ services }) => {
        const { exportHub } = await import("@hub/server/services/hub-file/export-hub.ts");
        const { writeHubFile } = await import("@hub/server/services/hub-file/write-hub-file.ts");
        const { listNotCarried } = await import(
          "@hub/server/services/hub-file/list-not-carried.ts"
        );
        const file = await exportHub(services);
        const note = toNotCarriedText(await listNotCarried(services));
        return {
          json: file,
          text: writeHubFile(file).trimEnd(),
          ...(note !== null && { note }),
        };
      }),
    );
}
