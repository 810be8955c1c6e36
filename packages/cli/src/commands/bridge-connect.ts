import { command } from "../declare/command.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { toConnectionText } from "../rows/connection-text.ts";
import { rowArgument, typedRowArgument } from "../rows/row-argument.ts";

/** A sign-in needs a browser, so the command only says where it begins. */
export const bridgeConnect = command(
  "connect",
  "print the page on which an admin connects a row by OAuth, and its connection now",
  {
    takes: { row: typedRowArgument },
    async does({ services, lookups, findServedBaseUrl }, { row }, { name }) {
      const { showRow } = await import("@hub/server/services/rows/manage-rows.ts");
      const { showConnection } = await import(
        "@hub/server/services/rows/connection/show-connection.ts"
      );
      const { id, connector } = await showRow(services, await lookups.findRowId(row));
      const baseUrl = await findServedBaseUrl();
      const connection = await showConnection(services, id, { baseUrl });
      if (connection === null) {
        throw toUsageError(
          `"${row}" does not use OAuth. Set it with: ${name} row set "${row}" --set auth_mode=oauth`,
        );
      }
      const page = `${baseUrl}/manager/connectors/${connector}/${id}?tab=settings`;
      return { page, connection };
    },
    shows: ({ connection }) => toConnectionText(connection),
    note: ({ page }) => `Open this page in a browser and press Connect: ${page}`,
  },
);

const ends = {
  true: "The authorization server has ended its tokens.",
  false: "The authorization server did not end its tokens. End the hub's access there.",
  null: "The authorization server offers no way to end tokens. End the hub's access there.",
} as const;

export const bridgeDisconnect = command(
  "disconnect",
  "delete a row's OAuth tokens, and end them at the authorization server",
  {
    takes: { id: rowArgument },
    async does({ services, actor }, { id }) {
      const { disconnectRow } = await import(
        "@hub/server/services/rows/connection/disconnect-row.ts"
      );
      return await disconnectRow(services, actor, id);
    },
    shows: ({ label, revoked }) => `"${label}" is disconnected. ${ends[`${revoked}`]}`,
  },
);
