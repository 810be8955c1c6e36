import type { Row } from "@hub/contract/row.ts";
import { command, group, list, switches } from "../declare/command.ts";
import { option } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toRowText } from "../rows/row-text.ts";
import { rowAdd } from "./row-add.ts";
import { rowHealth } from "./row-health.ts";
import { rowSet } from "./row-set.ts";
import { rowTest } from "./row-test.ts";

const loadRows = () => import("@hub/server/services/rows/manage-rows.ts");

const takes = { id: rowArgument };

export const define = group(
  {
    examples: [
      'row add http --label "Issue tracker" --set base_url=https://api.example.com --tag support',
      'row test "Issue tracker" get --param path=/issues',
      'row set "Issue tracker" --untag support',
    ],
  },
  [
    rowAdd,
    list("list", "list all rows", {
      takes: { connector: option("<key>", "only rows of this connector") },
      async reads({ services, author }, filter, page) {
        const { listRows } = await import("@hub/server/services/rows/views/visible-rows.ts");
        return await listRows(services, author.caller, { ...filter, ...page });
      },
      shows(rows: Row[], { connector }) {
        const empty = connector === undefined ? "rows yet" : "rows of this connector";
        return table<Row>(
          ["id", "connector", "label", "tags", ["state", toState]],
          `There are no ${empty}.`,
        )(rows);
      },
    }),
    command("show", "show a row with its configuration and operations; secrets stay hidden", {
      takes,
      async does({ services, findServedBaseUrl }, { id }) {
        const { showConnection } = await import(
          "@hub/server/services/rows/connection/show-connection.ts"
        );
        const row = await (await loadRows()).showRow(services, id);
        const baseUrl = await findServedBaseUrl();
        const connection = await showConnection(services, id, { baseUrl });
        return connection === null ? row : { ...row, connection };
      },
      shows: (row) => toRowText(row, "connection" in row ? row.connection : null),
    }),
    rowSet,
    ...switches.map((verb) =>
      command(verb, `${verb} a row, from the next call on`, {
        takes,
        does: async ({ services, actor }, { id }) =>
          (await loadRows())[`${verb}Row`](services, actor, id),
        shows: ({ label }) => `"${label}" is ${verb}d.`,
      }),
    ),
    command("delete", "delete a row with its configuration; its recorded calls are kept", {
      takes,
      does: async ({ services, actor }, { id }) =>
        (await loadRows()).deleteRow(services, actor, id),
      shows: ({ label, id }) => `Deleted "${label}" (${id}).`,
    }),
    rowHealth,
    rowTest,
  ],
);

function toState(row: Row): string {
  if (row.missing === null) return "plugin missing or disabled";
  if (row.disabled_type) return "connector disabled";
  if (row.disabled) return "disabled";
  return row.missing.length > 0 ? `needs ${row.missing.join(", ")}` : "enabled";
}
