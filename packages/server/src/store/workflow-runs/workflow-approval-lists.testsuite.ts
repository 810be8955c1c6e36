import { expect, test } from "bun:test";
import { newUser, newWorkflow, queueOf } from "../test-data.ts";
import { createApprovalWrites } from "../testing/approval-writes.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser } from "../users/users-table.ts";
import { insertWorkflow } from "../workflows/workflow-changes.ts";
import type { ApprovalReader } from "./approval-readers.ts";
import { listPositions } from "./approval-spans.ts";
import {
  type ApprovalFilter,
  countApprovals,
  expireApproval,
  listApprovals,
  putDecision,
} from "./workflow-approvals-table.ts";

/** Lists of approvals: of those who may see or decide them. */
export function describeWorkflowApprovalLists(stores: () => TestStores): void {
  const { db, ask, decide } = createApprovalWrites(stores);
  async function addWorkflow(id: string): Promise<string> {
    const { id: ownerId } = await insertUser(db(), newUser({ email: `${id}@example.com` }));
    await insertWorkflow(db(), newWorkflow(ownerId, { id }));
    return ownerId;
  }
  const noReader = { userId: "", email: "", tags: [] };
  const span = async (filter: ApprovalFilter, page: object = {}) =>
    (await listPositions(db(), filter, { limit: 100, ...page })).map(({ id }) => id);
  const read = async (filter: ApprovalFilter, reader: ApprovalReader, page: object = {}) => {
    const ids = await span(filter, page);
    return await listApprovals(db(), filter, reader, { ids, limit: 100 });
  };
  const list = async (filter: ApprovalFilter = {}, page: object = {}) =>
    (await read(filter, noReader, page)).map(({ title }) => title);

  test("A list has the approvals that a user may decide, by tag or by id and e-mail, and those of the user's workflows", async () => {
    const ownerId = await addWorkflow("wf");
    const tag = { kind: "tag" as const, name: "ops" };
    const user = { kind: "user" as const, userId: "u1", email: "u1@example.com" };
    await ask({ title: "by tag", people: [tag], createdAt: 1_000 });
    await ask({ title: "by e-mail", people: [user], createdAt: 2_000 });
    await ask({ title: "gone", people: [tag, user], workflowId: "deleted", createdAt: 3_000 });
    const u1 = { userId: "u1", email: "u1@example.com", tags: ["ops"] };
    expect(await list({ visibleTo: u1 })).toEqual(["by e-mail", "by tag"]);
    expect(await list({ visibleTo: { ...u1, tags: [] } })).toEqual(["by e-mail"]);
    expect(await list({ visibleTo: { ...u1, tags: ["ops "], email: "new@example.com" } })).toEqual(
      [],
    );
    expect(await list({ visibleTo: { ...u1, userId: "u2", tags: [] } })).toEqual([]);
    const owner = { userId: ownerId, email: "wf@example.com", tags: [] };
    expect(await list({ visibleTo: owner })).toEqual(["by e-mail", "by tag"]);
    expect(await list({ approver: owner })).toEqual([]);
    expect(await list({ approver: u1 })).toEqual(["by e-mail", "by tag"]);
    expect(await list({})).toEqual(["by e-mail", "by tag"]);
    const tagged = { ...u1, userId: "u2" };
    const listed = await read({}, tagged);
    expect(listed.map(({ title, isApprover }) => [title, isApprover])).toEqual([
      ["by e-mail", false],
      ["by tag", true],
    ]);
  });

  test("Those that a user may decide now are listed and counted", async () => {
    await addWorkflow("wf");
    const people = [{ kind: "tag" as const, name: "ops" }];
    const userId = "00000000-0000-4000-8000-0000000000aa";
    const other = "00000000-0000-4000-8000-0000000000ab";
    const ids = (...all: string[]) => JSON.stringify(all);
    await ask({ title: "other's", people, starterIds: ids(other), createdAt: 1 });
    await ask({ title: "self", people, starterIds: ids(userId), isSelf: true, createdAt: 2 });
    await ask({ title: "late", people, expiresAt: 4_000 });
    await ask({ title: "started", people, starterIds: ids(other, userId) });
    await ask({ title: "edited", people, editorIds: ids(userId) });
    await ask({ title: "not asked" });
    const { approval } = await ask({ title: "decided", people });
    await putDecision(db(), decide(approval.id));
    const filter: ApprovalFilter = {
      state: "pending",
      approver: { userId, email: "a@b.c", tags: ["ops"] },
      decider: { userId, at: 4_000 },
    };
    expect(await list(filter)).toEqual(["self", "other's"]);
    expect(await countApprovals(db(), filter, await span(filter))).toBe(2);
    expect(await countApprovals(db(), filter, await span(filter, { limit: 1 }))).toBe(0);
  });

  test("A list is filtered by state, workflow and run, and continues after a position, also of the same time", async () => {
    await addWorkflow("wf");
    await addWorkflow("other");
    const id = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
    const first = await ask({ title: "1", id: id(1) });
    await ask({ title: "2", id: id(2) });
    const third = await ask({ title: "3", id: id(3), workflowId: "other" });
    await putDecision(db(), decide(first.approval.id));
    expect(await list({ state: "pending" })).toEqual(["3", "2"]);
    expect(await list({ state: "approved" })).toEqual(["1"]);
    expect(await list({ workflowId: "other" })).toEqual(["3"]);
    expect(await list({ runId: first.run })).toEqual(["1"]);
    const after = { createdAt: 1_000, id: third.approval.id };
    expect(await list({}, { after })).toEqual(["2", "1"]);
    expect(await list({ runId: first.run }, { limit: 2 })).toEqual([]);
  });

  test("Decided approvals are found without those that wait, and with those whose time is over", async () => {
    await addWorkflow("wf");
    const id = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
    const { approval } = await ask({ title: "decided", id: id(1) });
    await ask({ title: "late", id: id(2), expiresAt: 4_000 });
    await ask({ title: "waits", id: id(3), expiresAt: 4_001 });
    await putDecision(db(), decide(approval.id));
    expect(await list({ decidedBy: 4_000 })).toEqual(["late", "decided"]);
    expect(await list({ decidedBy: 4_000, state: "approved" })).toEqual(["decided"]);
  });

  test("What waits for a user or a tag is found apart from other approvals, in the order of the list", async () => {
    const user = { kind: "user" as const, userId: "u1", email: "u1@example.com" };
    const tag = (name: string) => ({ kind: "tag" as const, name });
    const id = (at: number) => `00000000-0000-4000-8000-00000000000${at}`;
    await ask({ id: id(1), people: [user] });
    await ask({ id: id(2), people: [tag("ops"), tag("dev"), user] });
    await ask({ id: id(3), people: [tag("other"), { ...user, userId: "u2" }] });
    await ask({ id: id(4), people: [{ ...user, email: "old@example.com" }] });
    const fifth = await ask({ id: id(5), people: [tag("ops")], createdAt: 500 });
    const many = Array.from({ length: 110 }, (_, at) => `t${at}`);
    const approver = { userId: "u1", email: "u1@example.com", tags: ["ops", ...many, "dev"] };
    const filter: ApprovalFilter = { state: "pending", approver };
    expect(await span(filter)).toEqual([id(2), id(1), id(5)]);
    expect(await span(filter, { limit: 1 })).toEqual([id(2)]);
    expect(await span(filter, { after: { createdAt: 1_000, id: id(2) } })).toEqual([id(1), id(5)]);
    expect(await span({ ...filter, approver: { ...approver, tags: [] } })).toEqual([id(2), id(1)]);
    await putDecision(db(), decide(id(1)));
    await expireApproval(db(), { id: id(2), at: 9_000 });
    expect(await span(filter)).toEqual([id(5)]);
    const cancel = { at: 3_000, reason: "No", queue: queueOf() };
    await stores().store.workflowRuns.cancel({ runId: fifth.run, workflowId: "wf", ...cancel });
    expect(await span(filter)).toEqual([]);
    const rest = "select count(*) as n from workflow_approvers where waiting_since is not null";
    expect(Number((await runSql<{ n: number }>(db(), rest))[0]?.n)).toBe(3);
  });
}
