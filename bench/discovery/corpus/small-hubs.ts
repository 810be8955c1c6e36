import { httpConnector } from "../../../packages/server/src/connectors/builtin/http/http-connector.ts";
import type { Operation } from "../corpus-file.ts";

type Described = Pick<Operation, "key" | "name" | "description" | "inputs">;
type Row = { connector: string; label: string; about: string; operations: readonly Described[] };

/** Rows of the built-in connector `http`: their operations say nothing about what the API does. */
const http = (label: string): Row => ({
  connector: httpConnector.name,
  label,
  about: "",
  operations: [...httpConnector.operations.values()].map(
    ({ key, name, description, inputFields }) => ({
      key,
      name,
      description,
      inputs: inputFields.map((field) => field.key),
    }),
  ),
});

const define = (key: string, description: string, ...inputs: string[]): Described => ({
  key,
  name: key,
  description,
  inputs,
});

/** As a server of MCP describes a database. */
const database = (connector: string, label: string): Row => ({
  connector,
  label,
  about: "",
  operations: [
    define("query", "Run a read-only SQL query", "sql"),
    define("list_tables", "List the tables of a schema", "schema"),
    define("describe_table", "Show the columns and types of a table", "table"),
  ],
});

const chat: Row = {
  connector: "Chat",
  label: "Team chat",
  about: "",
  operations: [
    define("send_message", "Send a message to a channel", "channel", "text"),
    define("list_channels", "List the channels that you have joined", "limit"),
    define("add_reaction", "React to a message with an emoji", "message", "emoji"),
    define("invite_user", "Invite a user to a channel", "channel", "user"),
    define("search_messages", "Search messages in order of relevance", "query"),
    define("set_topic", "Change the topic of a channel", "channel", "topic"),
  ],
};

const calendar: Row = {
  connector: "Calendar",
  label: "Calendar",
  about: "Meetings of the sales team",
  operations: [
    define("create_event", "Create an event and invite people", "title", "start", "end"),
    define("list_events", "List events in order of their start", "from", "to"),
    define("update_event", "Move or change an event", "event", "start", "end"),
    define("delete_event", "Cancel an event", "event"),
    define("find_free_time", "Find a time when everyone is free", "people", "minutes"),
  ],
};

/** Hubs of two and three rows. `large` is the row of GitHub's document. */
export function listSmallHubs(large: readonly Operation[]): Operation[] {
  return [
    ...toHub("shop", [
      http("Orders API"),
      http("Customers API"),
      database("Postgres", "Warehouse"),
    ]),
    ...toHub("billing", [http("Billing API"), chat]),
    ...toHub("tables", [database("Postgres", "Orders"), database("MySQL", "Customers")]),
    ...toHub("sales", [calendar, http("Deals API"), chat]),
    ...toHub("code", [http("Orders API"), database("Postgres", "Orders")]),
    ...large.map((operation) => ({ ...operation, hub: "code" })),
  ];
}

function toHub(hub: string, rows: readonly Row[]): Operation[] {
  return rows.flatMap(({ operations, ...row }) =>
    operations.map((operation) => ({
      hub,
      ...row,
      ...operation,
      address: `${row.connector} ${row.label}/${operation.key}`,
    })),
  );
}
