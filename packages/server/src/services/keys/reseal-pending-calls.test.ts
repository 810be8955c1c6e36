/** Protects: what waits for a person outlives a change of the keys, and is never stored in plaintext. */
import { afterEach, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { openTestOperations, toTestCall } from "../../operations/testing/open-test-operations.ts";
import { transaction } from "../../store/database/database.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { putRule } from "../../store/rules/call-rules-table.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestServices } from "../testing/open-test-services.ts";

const sent: unknown[] = [];

const connector = defineConnector({
  key: "mailer",
  name: "Mailer",
  icon: "mail",
  tier: "builtin",
  description: "Sends mail.",
  config: {},
  operations: {
    send: {
      description: "Sends a mail.",
      input: { Text: wick("required"), Password: wick("secret") },
      run({ params }) {
        sent.push(params.Text);
        return { sent: params.Text };
      },
    },
  },
});

let services: Awaited<ReturnType<typeof openTestServices>>;
let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;

beforeEach(async () => {
  sent.length = 0;
  services = await openTestServices();
  const { store, ring } = services.deps;
  hub = await openTestOperations(connector, { store, ring, baseUrl: "https://hub.example" });
  rowId = await hub.addRow({ tags: ["team"] });
  await transaction(store.db, (trx) => putRule(trx, newRule({ id: "rule-1", rowId })));
});

afterEach(async () => {
  await hub.close();
  await services.close();
});

const db = () => services.deps.store.db;

function call(params: Record<string, unknown>, pendingId?: string) {
  const caller = { principal: { kind: "token", id: "token-1" } } as const;
  const toolId = `conn:${rowId}/send`;
  return hub.operations.calls.call(toTestCall(["team"], { caller }), { toolId, params, pendingId });
}

async function ask(params: Record<string, unknown>): Promise<string> {
  const failure: unknown = await call(params).catch((thrown: unknown) => thrown);
  if (!(failure instanceof HubError)) throw new Error("It was not asked about");
  expect(failure.code).toBe("approval_required");
  return String(failure.detail.pending_id);
}

async function approve(id: string): Promise<void> {
  const at = Date.now();
  const until = { approvedUntil: at + 900_000, keepUntil: at + 900_000 };
  const who = { by: "ada", byEmail: "ada@example.com", via: "page", comment: null };
  await putPendingDecision(db(), { id, state: "approved", at, ...who, ...until });
}

async function replaceKey(): Promise<number> {
  const [old] = (await services.admin.keys.list()).keys;
  const { resealed_values: resealed } = await services.admin.keys.rotate();
  await services.admin.keys.remove(old?.id ?? "");
  return resealed;
}

test("Repeats of what ran, was approved or is open are answered after the older key is removed", async () => {
  const [done, approved, open] = [
    await ask({ text: "done" }),
    await ask({ text: "approved" }),
    await ask({ text: "open" }),
  ];
  await approve(done);
  await call({ text: "done" });
  await approve(approved);
  expect((await services.admin.keys.list()).keys).toMatchObject([{ sealed_values: 4 }]);
  expect(await replaceKey()).toBe(4);
  expect((await call({ text: "done" })).value).toEqual({ sent: "done" });
  expect((await call({}, done)).value).toEqual({ sent: "done" });
  expect((await call({ text: "approved" })).value).toEqual({ sent: "approved" });
  expect(await ask({ text: "open" })).toBe(open);
  expect(sent).toEqual(["done", "approved"]);
});

test("More calls than one portion are sealed again", async () => {
  const ids: string[] = [];
  for (let n = 0; n < 12; n += 1) {
    const id = await ask({ text: `q${n}` });
    await approve(id);
    await call({ text: `q${n}` });
    ids.push(id);
  }
  expect(await replaceKey()).toBe(24);
  for (const [n, id] of ids.entries())
    expect((await call({}, id)).value).toEqual({ sent: `q${n}` });
});

test("A call that no key opens ends, and the rotation goes on", async () => {
  const id = await ask({ text: "lost" });
  const kept = await ask({ text: "kept" });
  // Of a key that does not exist.
  const sealed = Uint8Array.from([1, 9, 9, 9, 9, ...new Uint8Array(40)]);
  await runSql(db(), `update pending_calls set sealed = ? where id = '${id}'`, sealed);
  expect(await replaceKey()).toBe(1);
  expect(await findPendingCall(db(), id)).toMatchObject({ state: "ended" });
  expect(await ask({ text: "lost" })).not.toBe(id);
  expect(await ask({ text: "kept" })).toBe(kept);
});

test("The database has no secret param of a call, and no result, in plaintext", async () => {
  const id = await ask({ text: "hello-result", password: "s3cret-p4ss-word" });
  await approve(id);
  await call({ text: "hello-result", password: "s3cret-p4ss-word" });
  const [stored] = await runSql(db(), "select * from pending_calls");
  const texts = Object.values(stored ?? {}).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString("latin1") : String(value),
  );
  expect(texts.join("\n")).toContain("hello-result");
  expect(texts.join("\n")).not.toContain("s3cret-p4ss-word");
  expect(texts.join("\n")).not.toContain('{"sent"');
});
