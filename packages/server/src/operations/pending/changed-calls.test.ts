/** Protects: an approved call runs only as what was shown. If anything that it depends on has changed, it is asked about anew. */
import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { HubError } from "../../errors.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { transaction } from "../../store/database/database.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { putRowValues, updateRow } from "../../store/rows/rows-table.ts";
import { putRule } from "../../store/rules/call-rules-table.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import type { ExecuteRequest } from "../operations.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const sent: unknown[] = [];

type Send = { description?: string; destructive?: boolean; reads?: boolean; text?: string };

/** The connector, with another `send`. */
function defineMailer({ text = "required", ...send }: Send = {}) {
  return defineConnector({
    key: "mailer",
    name: "Mailer",
    icon: "mail",
    tier: "builtin",
    description: "Sends mail.",
    config: {
      BaseURL: wick("url"),
      Hook: wick("url"),
      Region: wick("dropdown=eu|us;default=eu"),
      Token: wick("secret"),
    },
    operations: {
      send: {
        description: "Sends a mail.",
        input: { Text: wick(text) },
        run({ params }) {
          sent.push(params.Text);
          return { sent: params.Text };
        },
        ...send,
      },
    },
  });
}

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;

beforeAll(async () => {
  hub = await openTestOperations(defineMailer(), { baseUrl: "https://hub.example" });
});
afterAll(() => hub.close());

beforeEach(async () => {
  sent.length = 0;
  register();
  rowId = await hub.addRow({
    tags: ["team"],
    values: { base_url: "https://mail.example", region: "eu" },
    secrets: { hook: "https://hook.example/a", token: "token-7Kq2xV9mR4" },
  });
  await setRule();
});

/** What runs is the connector with these members. */
function register(changed: Partial<RegisteredConnector> = {}, send?: Send): void {
  const connector = createLocalConnector(defineMailer(send), () => ({}));
  // An address that is a secret, as plugins have.
  const configFields = connector.configFields.map((field) =>
    field.key === "hook" ? { ...field, secret: true } : field,
  );
  hub.registry.replace({ ...connector, configFields, version: "1.0.0", ...changed });
}

const setRule = (revision = 1) =>
  transaction(hub.store.db, (trx) => putRule(trx, newRule({ id: `of ${rowId}`, rowId, revision })));

async function setValue(key: string, value: string, isSecret = false): Promise<void> {
  const location = { table: "row_values", row: rowId, field: key };
  const stored = isSecret
    ? { key, value: null, sealed: sealAtRest(hub.ring.current(), location, value) }
    : { key, value, sealed: null };
  await putRowValues(hub.store.db, rowId, [stored], Date.now());
}

/** As an admin does who signs the row in elsewhere. */
async function connectRow(): Promise<void> {
  await runSql(
    hub.store.db,
    "update connector_rows set connection_id = 'another' where id = ?",
    rowId,
  );
  await updateRow(hub.store.db, rowId, { label: "Row" }, Date.now());
}

function call(more: Partial<ExecuteRequest> = { params: { text: "hi" } }) {
  const ctx = toTestCall(["team"], { caller: { principal: { kind: "session", id: "" } } });
  const toolId = more.pendingId === undefined ? `conn:${rowId}/send` : "";
  return hub.operations.calls.call(ctx, { toolId, params: {}, ...more });
}

/** Makes a call that must be asked about. Returns the id of its question. */
async function ask(more?: Partial<ExecuteRequest>): Promise<string> {
  const thrown: unknown = await call(more).catch((failure: unknown) => failure);
  if (!(thrown instanceof HubError)) throw new Error(`It ran: ${Bun.inspect(thrown)}`);
  expect(thrown.code).toBe("approval_required");
  return String(thrown.detail.pending_id);
}

async function askApproved(): Promise<string> {
  const id = await ask();
  const at = Date.now();
  const until = { approvedUntil: at + 900_000, keepUntil: at + 900_000 };
  const who = { by: "ada", byEmail: "ada@example.com", via: "page", comment: null };
  const { db } = hub.store;
  expect(await putPendingDecision(db, { id, state: "approved", at, ...who, ...until })).toBe(true);
  return id;
}

const findState = async (id: string) => (await findPendingCall(hub.store.db, id))?.state;

const changes: Record<string, () => void | Promise<void>> = {
  "an address of its row": () => setValue("base_url", "https://mail.example.org"),
  "an address of its row that is kept as a secret": () =>
    setValue("hook", "https://hook.example/b", true),
  "another value of its row that is no secret": () => setValue("region", "us"),
  "the name under which its row is a channel": async () => {
    await updateRow(hub.store.db, rowId, { slug: `mail-${rowId.slice(0, 8)}` }, Date.now());
  },
  "the connection of its row": connectRow,
  "the description of its operation": () => register({}, { description: "Sends a letter." }),
  "the inputs of its operation": () => register({}, { text: "" }),
  "what its operation destroys": () => register({}, { destructive: true }),
  "whether its operation only reads": () => register({}, { reads: true }),
  "the version of its connector": () => register({ version: "1.0.1" }),
  "the protocol of its connector": () => register({ protoVersion: 2 }),
  "the publisher of its connector": () => register({ publisher: "another" }),
  "its rule": () => setRule(2),
};

test.each(
  Object.entries(changes),
)("A change of %s asks anew about an approved call", async (_, change) => {
  const former = await askApproved();
  await change();
  const next = await ask();
  expect(next).not.toBe(former);
  expect(await findState(former)).toBe("changed");
  // By its id it is the new question as well, and the approval is lost.
  expect(await ask({ pendingId: former })).toBe(next);
  expect(sent).toEqual([]);
});

test("A change of what a person is not asked about leaves an approved call as it is", async () => {
  const id = await askApproved();
  await setValue("token", "token-2Wc8yB5nT1", true);
  await updateRow(hub.store.db, rowId, { label: "Letters" }, Date.now());
  expect((await call()).value).toEqual({ sent: "hi" });
  expect(await findState(id)).toBe("done");
});
