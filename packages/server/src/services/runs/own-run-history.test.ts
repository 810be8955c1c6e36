/** Protects: only a call's user and admins see its origin and its error. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Caller } from "../../caller.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import { listCancellations } from "../../store/runs/run-cancellations.ts";
import { newFinishedRun, newRun } from "../../store/test-data.ts";
import { actAs } from "../testing/act-as.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
let row: string;
beforeAll(async () => {
  hub = await openTestServices();
  row = (await hub.admin.rows.add({ connector: "tracker", label: "Shared", tags: ["red"] })).id;
});
afterAll(() => hub.close());

const toCaller = (userId: string, role: Caller["role"] = "user", tags = ["red"]): Caller => ({
  userId,
  email: `${userId}@example.com`,
  name: userId,
  tokenId: "t1",
  role,
  tags: new Set(tags),
});
const [ada, ben, admin] = [toCaller("ada"), toCaller("ben"), toCaller("root", "admin", [])];

async function addRun(given: Parameters<typeof newFinishedRun>[0] = {}): Promise<string> {
  const id = Bun.randomUUIDv7();
  const base = { id, connectorId: row, rowLabel: "Shared", userId: "ada" };
  await hub.deps.store.runs.insertFinished(newFinishedRun({ ...base, ...given }));
  return id;
}

describe("another user's failed call", () => {
  const failure = {
    status: "error",
    errorCode: "upstream_error",
    errorMsg: "The host refused the account of Ada.",
    ipAddress: "192.0.2.7",
  } as const;
  const shown = {
    error_code: "upstream_error",
    error_msg: failure.errorMsg,
    token_id: "token-1",
    ip_address: "192.0.2.7",
    user_agent: "test",
    payload_shown: true,
    request: { path: "/" },
    response: { ok: true },
  };
  const hidden = {
    error_msg: null,
    token_id: null,
    ip_address: null,
    user_agent: null,
    request: null,
    response: null,
    payload_shown: false,
  };

  test("A user who sees the row of another user's failed call sees neither its error nor its origin", async () => {
    const id = await addRun(failure);
    const { runs } = hub.admin;
    expect(await runs.showFor(ben, id)).toMatchObject({ status: "error", ...hidden });
    expect(await runs.showFor(ada, id)).toMatchObject(shown);
    expect(await runs.showFor(admin, id)).toMatchObject(shown);
    const [listed] = (await runs.page(ben, { row, limit: 1 })).runs;
    expect(listed).toMatchObject({ id, error_msg: null, token_id: null, ip_address: null });
    expect(JSON.stringify(await runs.page(ben, { row }))).not.toContain("account of Ada");
  });
});

describe("a call of a maintenance operation", () => {
  test("For users who are no admins, that of another user is no run of the row", async () => {
    const id = await addRun({ operationKey: "sweep" });
    const { runs } = hub.admin;
    for (const filter of [{ row }, { row, operation: "sweep" }]) {
      const [own, other, all] = [
        await runs.page(ada, filter),
        await runs.page(ben, filter),
        await runs.page(admin, filter),
      ].map((page) => page.runs.some((run) => run.id === id));
      expect([filter, own, other, all]).toEqual([filter, true, false, true]);
    }
    const missing = await runs.showFor(ben, Bun.randomUUIDv7()).catch(String);
    expect(await runs.showFor(ben, id).catch(String)).toBe(missing as string);
    expect(await runs.cancel(ben, id).catch(String)).toBe(missing as string);
    expect(await runs.showFor(ada, id)).toMatchObject({ id });
    expect(await runs.showFor(admin, id)).toMatchObject({ id });
  });
});

describe("the calls of a message", () => {
  test("Each names its message and the message their number, for those who see the request and the rows", async () => {
    const lost = await hub.admin.rows.add({ connector: "tracker", label: "Away", tags: ["blue"] });
    const userId = crypto.randomUUID();
    const mia = toCaller(userId);
    const message = { connectorId: null, rowLabel: null, operationKey: "hub_read" };
    const id = await addRun({ ...message, userId });
    const of = { userId, causeKind: "batch", causeId: id } as const;
    const first = await addRun(of);
    const failed = await addRun({ ...of, status: "error", errorCode: "timeout" });
    const unseen = await addRun({ ...of, connectorId: lost.id, rowLabel: "Away" });
    const { runs } = hub.admin;
    const list = async (caller: Caller, filter: object) =>
      (await runs.ownPage(caller, { cause_id: id, ...filter })).runs.map((run) => run.id);
    expect(await list(mia, {})).toEqual([failed, first]);
    expect(await list(mia, { status: "error" })).toEqual([failed]);
    expect(await list(toCaller(crypto.randomUUID()), {})).toEqual([]);
    const all = (await runs.page(admin, { cause_id: id })).runs.map((run) => run.id);
    expect(all).toEqual([unseen, failed, first]);
    expect((await runs.showFor(mia, id)).calls).toEqual({ total: 2, failed: 1 });
    expect((await runs.showFor(admin, id)).calls).toEqual({ total: 3, failed: 1 });
    expect(await runs.showFor(mia, first)).toMatchObject({ cause: { kind: "batch", id } });
    expect(await runs.showFor(mia, first)).not.toHaveProperty("calls");

    // Of the row's calls, another user learns neither which belong together nor of which message they are.
    const cause = { kind: "batch", id: null };
    expect(await runs.showFor(ben, first)).toMatchObject({ cause });
    expect((await runs.page(ben, { row, limit: 1 })).runs[0]).toMatchObject({ id: failed, cause });
    expect((await runs.page(ben, { row, cause_id: id })).runs).toEqual([]);
    expect((await runs.page(ben, { row, cause_id: id, user: crypto.randomUUID() })).runs).toEqual(
      [],
    );
    const grouped = (await runs.ownPage(mia, { grouped: true, limit: 1 })).runs;
    expect(grouped).toMatchObject([{ id, calls: { total: 2, failed: 1 } }]);
  });

  test("A call that is older than the record of causes has its cause from what was recorded then", async () => {
    const before = { causeKind: null, causeId: null };
    const parentRunId = await addRun(before);
    const show = async (run: string) => (await hub.admin.runs.showFor(ada, run)).cause;
    expect(await show(parentRunId)).toEqual({ kind: "client", id: null });
    const retry = await addRun({ ...before, parentRunId });
    expect(await show(retry)).toEqual({ kind: "retry", id: parentRunId });
    const step = await addRun({ ...before, workflowRunId: "w-1" });
    expect(await show(step)).toEqual({ kind: "workflow", id: "w-1" });
  });
});

describe("a user's own runs", () => {
  test("A user's own runs are those of visible rows and those that reached no row; an admin sees all", async () => {
    const lost = await hub.admin.rows.add({
      connector: "tracker",
      label: "Lost",
      tags: ["blue"],
    });
    const userId = crypto.randomUUID();
    const [seen, unseen, meta] = [
      await addRun({ userId }),
      await addRun({ userId, connectorId: lost.id, rowLabel: "Lost" }),
      await addRun({ userId, connectorId: null, rowLabel: null }),
    ];
    const ids = async (caller: Caller) =>
      (await hub.admin.runs.ownPage(caller, {})).runs.map(({ id }) => id);
    expect(await ids(toCaller(userId))).toEqual([meta, seen]);
    expect(await ids(toCaller(userId, "admin", []))).toEqual([meta, unseen, seen]);
    expect(await ids(toCaller(crypto.randomUUID()))).toEqual([]);
    await expect(hub.admin.runs.showFor(toCaller(userId), unseen)).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("Other users do not see a user's meta-tool runs", async () => {
    const id = await addRun({ connectorId: null, rowLabel: null });
    expect(await hub.admin.runs.showFor(ada, id)).toMatchObject({ id });
    await expect(hub.admin.runs.showFor(ben, id)).rejects.toMatchObject({ code: "not_found" });
  });
});

test("Without a limit, a page has at most 50 runs and says that there are more", async () => {
  const userId = crypto.randomUUID();
  for (let count = 0; count < 51; count++) await addRun({ userId });
  const page = await hub.admin.runs.ownPage(toCaller(userId), {});
  expect(page.runs).toHaveLength(50);
  expect(page.next).toBe(page.runs.at(-1)?.id ?? "none");
});

describe("a running call", () => {
  test("Only its caller or an admin can cancel a running call, in any process, and is named", async () => {
    const cancelled: unknown[] = [];
    const operations = {
      ...hub.deps.operations,
      running: { cancel: (...given: [string, string]) => cancelled.push(given) > 1 },
    };
    const { runs: controls } = actAs({ ...hub.deps, operations }, commandLineActor);
    const { db, runs } = hub.deps.store;
    const id = Bun.randomUUIDv7();
    await runs.begin(newRun({ id, connectorId: row, userId: "ada" }));
    await expect(controls.cancel(ben, id)).rejects.toMatchObject({ code: "forbidden" });
    // The first run is of another process, which must cancel it.
    await controls.cancel(ada, id);
    await controls.cancel(admin, id);
    expect(cancelled).toEqual([
      [id, "The call was stopped by its caller."],
      [id, "The call was stopped by an admin."],
    ]);
    const reason = "The call was stopped by its caller.";
    expect(await listCancellations(db)).toEqual([{ runId: id, reason }]);
    const over = await addRun();
    await expect(controls.cancel(ada, over)).rejects.toMatchObject({ code: "conflict" });
  });
});

test("A call names the logo of the system at its row's address, but not for a row that was not found", async () => {
  const values = { base_url: "https://api.github.com", token: "a-token" };
  const given = { connector: "tracker", label: "Issues", tags: ["red"], values };
  const { id, logo } = await hub.admin.rows.add(given);
  expect(logo).toBe("github");
  const called = { connectorId: id, rowLabel: "Issues", userId: crypto.randomUUID() };
  await addRun(called);
  await addRun({ ...called, status: "denied", errorCode: "not_found" });
  await addRun({ userId: called.userId });
  const { runs } = await hub.admin.runs.ownPage(toCaller(called.userId), {});
  expect(runs.map((run) => run.logo)).toEqual([null, null, "github"]);
});
