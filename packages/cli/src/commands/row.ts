import type { ListedRow } from "@hub/contract/listed-row.ts";
import { describeRowState, rowStateNameSchema } from "@hub/contract/row-state.ts";
import { command, group, list, switches } from "../declare/command.ts";
import { option } from "../declare/parameters.ts";
import { table } from "../declare/view.ts";
import { toUsageError } from "../errors/usage-error.ts";
import { addState } from "../rows/add-state.ts";
import { rowArgument } from "../rows/row-argument.ts";
import { toRowText } from "../rows/row-text.ts";
import { rowAdd } from "./row-add.ts";
import { rowHealth } from "./row-health.ts";
import { rowSet } from "./row-set.ts";
import { rowTest } from "./row-test.ts";

const loadRows = () => import("@hub/server/services/rows/manage-rows.ts");

const takes = { id: rowArgument };

const states = rowStateNameSchema.options;

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
      takes: {
        connector: option("<key>", "only rows of this connector"),
        state: option("<state>", `only rows in this state: ${states.join(", ")}`),
      },
      async reads({ services, author }, { connector, state }, page) {
        const { listStatedRows } = await import("@hub/server/services/rows/views/list-rows.ts");
        const filter = { connector, state: state === undefined ? undefined : readState(state) };
        const { rows, next } = await listStatedRows(services, author.caller, {
          ...filter,
          ...page,
        });
        return { items: rows, next };
      },
      shows(rows: ListedRow[], { connector, state }) {
        const isAll = connector === undefined && state === undefined;
        const empty = isAll ? "rows yet" : "such rows";
        return table<ListedRow>(
          ["id", "connector", "label", "tags", ["state", toState]],
          `There are no ${empty}.`,
        )(rows);
      },
    }),
    command("show", "show a row with its configuration and operations; secrets stay hidden", {
      takes,
      async does({ services, author, findServedBaseUrl }, { id }) {
        const { showConnection } = await import(
          "@hub/server/services/rows/connection/show-connection.ts"
        );
        const row = await (await loadRows()).showRow(services, id);
        const baseUrl = await findServedBaseUrl();
        const connection = await showConnection(services, id, { baseUrl });
        const stated = await addState({ services, author }, row);
        return connection === null ? stated : { ...stated, connection };
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

function readState(text: string) {
  const read = rowStateNameSchema.safeParse(text.toLowerCase().replaceAll(" ", "_"));
  if (read.success) return read.data;
  throw toUsageError(`--state: there is no state "${text}". Use ${states.join(", ")}.`);
}

/** The state, with what it needs. */
function toState({ state, missing }: ListedRow): string {
  const text = describeRowState(state.name);
  if (state.name === "needs_review") return `${text} (${state.waiting ?? 0})`;
  const needs = missing === null ? "its connector" : missing.join(", ");
  return state.name === "needs_setup" && needs !== "" ? `${text}: ${needs}` : text;
}
