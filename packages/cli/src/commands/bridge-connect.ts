import type { Command } from "commander";
import type { Cli } from "../cli.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { toConnectionText } from "../rows/connection-text.ts";
import { rowArgument } from "../rows/row-argument.ts";

/** The OAuth connection of a row. A sign-in needs a browser, so a command only says where it begins. */
export function defineBridgeConnect(bridge: Command, cli: Cli): void {
  bridge
    .command("connect")
    .argument(...rowArgument)
    .description("print the page on which an admin connects a row by OAuth, and its connection now")
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, lookups, findServedBaseUrl }) => {
        const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
        const { showConnection } = await import(
          "@hub/server/services/rows/connection/show-connection.ts"
        );
        const { id, connector } = await showRow(services, await lookups.findRowId(name));
        const baseUrl = await findServedBaseUrl();
        const connection = await showConnection(services, id, { baseUrl });
        if (connection === null) {
          throw toUsageError(
            `"${name}" does not use OAuth. Set it with: ${cli.name} row set "${name}" --set auth_mode=oauth`,
          );
        }
        const page = `${baseUrl}/manager/connectors/${connector}/${id}?tab=settings`;
        return {
          json: { page, connection },
          text: toConnectionText(connection),
          note: `Open this page in a browser and press Connect: ${page}`,
        };
      }),
    );

  bridge
    .command("disconnect")
    .argument(...rowArgument)
    .description("delete a row's OAuth tokens, and end them at the authorization server")
    .action((name: string, _: unknown, command: Command) =>
      cli.answer(command, async ({ services, actor, lookups }) => {
        const { disconnectRow } = await import(
          "@hub/server/services/rows/connection/disconnect-row.ts"
        );
        const done = await disconnectRow(services, actor, await lookups.findRowId(name));
        const ends = {
          true: "The authorization server has ended its tokens.",
          false: "The authorization server did not end its tokens. End the hub's access there.",
          null: "The authorization server offers no way to end tokens. End the hub's access there.",
        } as const;
        return {
          json: done,
          text: `"${done.label}" is disconnected. ${ends[`${done.revoked}`]}`,
        };
      }),
    );
}
