import {
  begunConnectSchema,
  rowAccountsSchema,
  rowConnectionSchema,
} from "@hub/contract/row-connection.ts";
import { z } from "zod";
import { HubError } from "../../../errors.ts";
import { beginRowConnect } from "../../../services/rows/connection/begin-row-connect.ts";
import { disconnectRow as disconnect } from "../../../services/rows/connection/disconnect-row.ts";
import {
  showConnection,
  showRowAccounts,
} from "../../../services/rows/connection/show-connection.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byRow } from "./path-params.ts";

export const showRowConnection = defineEndpoint({
  name: "showRowConnection",
  summary: "Show the OAuth connection of a row",
  description:
    "For rows with `auth_mode` `oauth`, and for rows in which users have own accounts. Tokens are never shown.",
  params: byRow,
  answer: z.object({
    connection: rowConnectionSchema
      .nullable()
      .meta({ description: "Null if the row needs no connection." }),
    accounts: rowAccountsSchema
      .nullable()
      .meta({ description: "Null if the row has shared access." }),
  }),
  failures: ["not_found"],
  handle: async ({ services, params, baseUrl }) => ({
    connection: await showConnection(services, params.row, { baseUrl }),
    accounts: await showRowAccounts(services, params.row),
  }),
});

export const connectRow = defineEndpoint({
  name: "connectRow",
  summary: "Begin to connect a row by OAuth",
  description:
    "Finds the authorization server of the row's MCP server, and registers the hub there if the row has no `client_id`. The sign-in at `authorize_url` must be finished in the same browser session.",
  params: byRow,
  answer: begunConnectSchema,
  failures: ["not_found", "bad_request", "upstream_error"],
  handle({ services, params, sessionId, baseUrl, signal }) {
    if (sessionId === null) throw new HubError("forbidden", "Only a browser can connect a row.");
    return beginRowConnect(services, { sessionId, baseUrl, signal }, params.row);
  },
});

export const disconnectRow = defineEndpoint({
  name: "disconnectRow",
  needsSpace: false,
  summary: "Disconnect a row, and end its tokens at the authorization server",
  params: byRow,
  answer: z.object({
    id: z.uuid(),
    label: z.string(),
    revoked: z.boolean().nullable().meta({
      description:
        "Whether the authorization server has ended the tokens; null if it does not offer this.",
    }),
  }),
  failures: ["not_found", "bad_request"],
  handle: ({ services, actor, params }) => disconnect(services, actor, params.row),
});
