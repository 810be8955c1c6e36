/**
 * Protects: a form in a client decides only a call of its own principal whose rule takes its word, once and in time. It is
 * recorded as confirmed by the client.
 */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector } from "@hub/connector";
import { listChanges } from "../../store/changes-table.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { insertTestPendingCall } from "../../store/testing/new-pending-call.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";
import { toCallUrl } from "./call-url.ts";

const connector = defineConnector({
  key: "mailer",
  name: "Mailer",
  icon: "mail",
  tier: "builtin",
  description: "Sends mail.",
  config: {},
  operations: { send: { description: "Sends a mail.", run: () => ({}) } },
});

const at = 10_000;
let hub: Awaited<ReturnType<typeof openTestOperations>>;
beforeAll(async () => {
  hub = await openTestOperations(connector, { now: () => at });
});
afterAll(() => hub.close());

const asGrant = toTestCall([], { caller: { principal: { kind: "grant", id: "g1" } } });

/** A question to the client of the grant. */
const ask = (given: Partial<PendingCall> = {}) =>
  insertTestPendingCall(hub.store.db, {
    id: crypto.randomUUID(),
    userId: testUserId,
    principal: "grant:g1",
    confirm: "client",
    ...given,
  });

const read = (id: string) => findPendingCall(hub.store.db, id);

test("The word of the client approves its call, and is recorded as the client's", async () => {
  const { id } = await ask();
  expect(await hub.operations.questions.decide(asGrant, id, "approved")).toBe(true);
  expect(await read(id)).toMatchObject({
    state: "approved",
    decidedVia: "client",
    decidedBy: testUserId,
    decidedAt: at,
    approvedUntil: at + 15 * 60_000,
  });
  const [change] = await listChanges(hub.store.db, { targetId: id, limit: 5 });
  expect(change).toMatchObject({ via: "client", action: "call.approve", actorId: testUserId });
});

test("A second word has no effect", async () => {
  const { id } = await ask();
  await hub.operations.questions.decide(asGrant, id, "denied");
  expect(await hub.operations.questions.decide(asGrant, id, "approved")).toBe(false);
  expect(await read(id)).toMatchObject({ state: "denied", approvedUntil: null });
});

test("Of two words at once, one decides", async () => {
  const { id } = await ask();
  const both = await Promise.all([
    hub.operations.questions.decide(asGrant, id, "approved"),
    hub.operations.questions.decide(asGrant, id, "denied"),
  ]);
  expect(both.toSorted()).toEqual([false, true]);
});

test.each<[string, Partial<PendingCall>]>([
  ["a call whose rule wants the page", { confirm: "page" }],
  ["a call that others decide", { decider: { kind: "tags", tags: ["leads"] } }],
  ["a call that needs an account", { reason: "account" }],
  ["a call of another principal of the same user", { principal: "grant:g2" }],
  ["a call that is late", { createdAt: 0, expiresAt: at }],
  ["a call that has ended", { state: "ended" }],
  ["a call that has run", { state: "done" }],
])("The word of a client decides nothing about %s", async (_what, given) => {
  const { id, state } = await ask(given);
  for (const decision of ["approved", "denied"] as const) {
    expect(await hub.operations.questions.decide(asGrant, id, decision)).toBe(false);
  }
  expect(await read(id)).toMatchObject({ state, decidedVia: null });
});

test("Another user's client is told of nothing and decides nothing", async () => {
  const { id } = await ask();
  const { questions } = hub.operations;
  const other = { ...asGrant, caller: { ...asGrant.caller, userId: "someone" } };
  expect(await questions.find(other, id)).toBeNull();
  expect(await questions.findState(other, id)).toBeNull();
  expect(await questions.decide(other, id, "approved")).toBe(false);
  expect(await questions.findState(asGrant, id)).toBe("open");
});

test("A call that others decide is never for its client, whatever is stored with it", async () => {
  const { id } = await ask({ decider: { kind: "tags", tags: ["leads"] } });
  const question = await hub.operations.questions.find(asGrant, id);
  expect(question).toMatchObject({ state: "open", isConfirmedByClient: false });
});

test("Where decisions need a fresh sign-in, the word of a client decides nothing, and it is led to the page", async () => {
  await using fresh = await openFresh();
  const { questions, tasks } = fresh.operations;
  const { id } = await insertTestPendingCall(fresh.store.db, {
    id: crypto.randomUUID().replaceAll("-", ""),
    userId: testUserId,
    principal: "grant:g1",
    confirm: "client",
  });
  expect(await questions.find(asGrant, id)).toMatchObject({ isConfirmedByClient: false });
  expect(await tasks.make(asGrant, id)).toMatchObject({
    state: { question: { isConfirmedByClient: false }, url: toCallUrl("https://hub.test", id) },
  });
  for (const decision of ["approved", "denied"] as const) {
    expect(await questions.decide(asGrant, id, decision)).toBe(false);
  }
  expect(await questions.findState(asGrant, id)).toBe("open");
});

async function openFresh() {
  const opened = await openTestOperations(connector, {
    now: () => at,
    baseUrl: "https://hub.test",
    freshDecisions: true,
  });
  return { ...opened, [Symbol.asyncDispose]: () => opened.close() };
}
