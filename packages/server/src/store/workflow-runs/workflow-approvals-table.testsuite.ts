import { expect, test } from "bun:test";
import { newStep, newUser, newWorkflow, newWorkflowRun, queueOf } from "../test-data.ts";
import { newApproval } from "../testing/insert-approval.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser } from "../users/users-table.ts";
import { insertWorkflow } from "../workflows/workflow-changes.ts";
import type { ApprovalReader } from "./approval-readers.ts";
import { listPositions } from "./approval-spans.ts";
import { purgeWorkflowRuns } from "./purge-old-runs.ts";
import type { NewApproval } from "./workflow-approval-records.ts";
import {
  type ApprovalFilter,
  countApprovals,
  countPendingApprovals,
  expireApproval,
  findApproval,
  listApprovals,
  putDecision,
} from "./workflow-approvals-table.ts";
import type { CommitWrite, Lease } from "./workflow-run-records.ts";
import { findWorkflowRun, listDueRuns, wakeWorkflowRun } from "./workflow-runs-table.ts";

/** Approvals: stored with their step, listed for those who may see them, decided once. */
export function describeWorkflowApprovals(stores: () => TestStores): void {
  const db = () => stores().store.db;
  const shared = { answer: null, starts: [], at: 2_000 };
  const end = (state: "succeeded" | "failed"): CommitWrite["transition"] => ({
    kind: "end",
    state,
    error: null,
    lastNode: null,
    waiterRunId: null,
    activeMs: 5,
    queue: queueOf(),
    claimBy: null,
  });
  const park: CommitWrite["transition"] = {
    kind: "park",
    dueAt: 9_000,
    waitingFor: "{}",
    activeMs: 5,
    queue: null,
    claimBy: null,
  };

  /** A run that asks, and then waits in no process, unless `transition` says otherwise. */
  async function ask(
    given: Partial<NewApproval> = {},
    transition: CommitWrite["transition"] = park,
  ) {
    const run = newWorkflowRun({ workflowId: given.workflowId ?? "wf" });
    const { workflowRuns } = stores().store;
    const write = { run, queue: queueOf({ runsAtOnce: 100 }), deliveryId: null, claimBy: "one" };
    const accepted = await workflowRuns.accept(write);
    if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
    const approval = newApproval({ runId: run.id, summary: "{}", ...given });
    const steps = [newStep({ nodeId: "ask", state: "waiting", endedAt: null })];
    const { lease } = accepted;
    const origin = { runId: run.id, workflowId: run.workflowId, lease };
    await workflowRuns.commit({ ...shared, ...origin, steps, approvals: [approval], transition });
    return { approval, run: run.id, lease };
  }
  const commit = (runId: string, lease: Lease, transition: CommitWrite["transition"]) =>
    stores().store.workflowRuns.commit({
      ...shared,
      runId,
      workflowId: "wf",
      lease,
      steps: [],
      transition,
    });
  const decide = (id: string, given: object = {}) => ({
    id,
    hash: "h",
    state: "approved" as const,
    at: 5_000,
    by: "u1",
    byEmail: "a@b.c",
    comment: null,
    ...given,
  });
  const stateOf = async (id: string) => (await findApproval(db(), id))?.state;
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

  test("An approval is stored with its step, once also if the commit is repeated", async () => {
    const people = [{ kind: "tag" as const, name: "ops" }];
    const { approval, run, lease } = await ask({ people }, { kind: "go_on" });
    const { people: _, ...stored } = approval;
    const undecided = { decidedAt: null, decidedBy: null, decidedByEmail: null, comment: null };
    expect(await findApproval(db(), approval.id)).toEqual({
      ...stored,
      ...undecided,
      state: "pending",
    });
    const write = { ...shared, runId: run, workflowId: "wf", lease, steps: [] };
    const again = {
      approvals: [approval],
      transition: { kind: "go_on" as const },
      isRepeated: true,
    };
    expect(await stores().store.workflowRuns.commit({ ...write, ...again })).toMatchObject({
      lost: false,
    });
    expect(await countPendingApprovals(db(), "ann")).toBe(1);
  });

  test("A process that has lost a run stores no approval", async () => {
    const { run } = await ask();
    const lost = newApproval({ runId: run, nodeId: "other" });
    const lease = { instanceId: "two", number: 9 };
    const write = { ...shared, runId: run, workflowId: "wf", lease, steps: [], approvals: [lost] };
    await stores().store.workflowRuns.commit({ ...write, transition: { kind: "go_on" } });
    expect(await findApproval(db(), lost.id)).toBeNull();
  });

  test("An approval is decided if it is pending, in time and has the hash that was shown", async () => {
    const { approval } = await ask();
    expect(await putDecision(db(), decide(approval.id, { hash: "other" }))).toBeFalse();
    expect(await putDecision(db(), decide(approval.id, { at: 9_000 }))).toBeFalse();
    expect(await putDecision(db(), decide(approval.id, { comment: "Fine" }))).toBeTrue();
    expect(await putDecision(db(), decide(approval.id, { state: "denied" }))).toBeFalse();
    expect(await findApproval(db(), approval.id)).toMatchObject({
      state: "approved",
      decidedAt: 5_000,
      decidedBy: "u1",
      decidedByEmail: "a@b.c",
      comment: "Fine",
    });
  });

  test("Of many decisions at once over two connections, one counts", async () => {
    const another = await stores().openAnother();
    const { approval } = await ask();
    const decided = await Promise.all(
      Array.from({ length: 20 }, (_, at) =>
        putDecision(
          at % 2 === 0 ? db() : another.db,
          decide(approval.id, { by: `u${at}`, state: at % 3 === 0 ? "denied" : "approved" }),
        ),
      ),
    );
    expect(decided.filter(Boolean)).toHaveLength(1);
    expect((await findApproval(db(), approval.id))?.decidedBy).toBe(`u${decided.indexOf(true)}`);
  });

  test("An approval expires at its time and not before, unless it was decided", async () => {
    const { approval } = await ask();
    await expireApproval(db(), { id: approval.id, at: 8_999 });
    expect(await stateOf(approval.id)).toBe("pending");
    await expireApproval(db(), { id: approval.id, at: 9_000 });
    expect(await findApproval(db(), approval.id)).toMatchObject({
      state: "expired",
      decidedAt: 9_000,
      decidedBy: null,
    });
    const { approval: decided } = await ask();
    await putDecision(db(), decide(decided.id));
    await expireApproval(db(), { id: decided.id, at: 9_000 });
    expect(await stateOf(decided.id)).toBe("approved");
  });

  test("A decision makes a waiting run due, and one that runs due after it has parked", async () => {
    const waiting = await ask();
    await wakeWorkflowRun(db(), waiting.run, 5_000);
    expect(await listDueRuns(db(), 5_000, 10)).toMatchObject([{ id: waiting.run }]);
    const running = await ask({}, { kind: "go_on" });
    await wakeWorkflowRun(db(), running.run, 5_000);
    expect(await listDueRuns(db(), 5_000, 10)).toHaveLength(1);
    await commit(running.run, running.lease, park);
    expect(await listDueRuns(db(), 5_000, 10)).toHaveLength(2);
  });

  test("Cancelling a run, and its failure, end its pending approvals", async () => {
    const cancelled = await ask();
    await stores().store.workflowRuns.cancel({
      runId: cancelled.run,
      workflowId: "wf",
      at: 3_000,
      reason: "No",
      queue: queueOf(),
    });
    expect(await findApproval(db(), cancelled.approval.id)).toMatchObject({
      state: "cancelled",
      decidedAt: 3_000,
      decidedBy: null,
    });
    const failed = await ask({}, { kind: "go_on" });
    const decided = await ask({}, { kind: "go_on" });
    await putDecision(db(), decide(decided.approval.id));
    await commit(failed.run, failed.lease, end("failed"));
    await commit(decided.run, decided.lease, end("failed"));
    expect(await stateOf(failed.approval.id)).toBe("cancelled");
    expect(await stateOf(decided.approval.id)).toBe("approved");
    expect(await putDecision(db(), decide(failed.approval.id))).toBeFalse();
  });

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

  test("Approvals are purged with their run", async () => {
    const { approval, run, lease } = await ask(
      { people: [{ kind: "tag", name: "ops" }] },
      { kind: "go_on" },
    );
    await commit(run, lease, end("failed"));
    const bounds = { endedFrom: null, endedBefore: 10_000, runsMax: 10, stepsMax: 100 };
    await purgeWorkflowRuns(db(), bounds);
    expect(await findWorkflowRun(db(), run)).toBeNull();
    expect(await findApproval(db(), approval.id)).toBeNull();
    expect(await runSql(db(), "select * from workflow_approvers")).toEqual([]);
  });
}
