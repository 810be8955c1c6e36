/** Protects: a call that runs by itself runs only while its token is valid, also once it has begun. */
import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { newToken, newUser } from "../../store/test-data.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { insertToken } from "../../store/users/tokens-table.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { testUserId } from "../testing/open-test-operations.ts";
import { pendingLimits } from "./pending-limits.ts";
import { type RunApprovedDeps, runApprovedCalls } from "./run-approved-calls.ts";
import { openAskedHub } from "./testing/open-asked-hub.ts";

test("An approved call of a token that was revoked or has expired does not run by itself", async () => {
  await using owned = new AsyncDisposableStack();
  const principal = { kind: "token", id: crypto.randomUUID() } as const;
  const hub = await openAskedHub({ principal });
  owned.defer(() => hub.close());
  await insertUser(hub.db, newUser({ id: testUserId }));
  const { id } = await insertToken(hub.db, newToken(testUserId, 1, { id: principal.id }));
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  const ends = [`revoked_at = ${Date.now()}`, "revoked_at = null, expires_at = 1"];
  for (const end of ends) {
    await runSql(hub.db, `update personal_access_tokens set ${end} where id = '${id}'`);
    await hub.decide(await hub.ask(rowId, { text: end }), "approved");
    await hub.runApproved();
    expect(hub.sent).toEqual([]);
  }
  await runSql(hub.db, `update personal_access_tokens set expires_at = null where id = '${id}'`);
  await hub.runApproved();
  expect(hub.sent).toHaveLength(2);
});

test("An approved call that runs by itself may use no more operations than the call that was asked about", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub();
  owned.defer(() => hub.close());
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  const scoped = hub.toContext();
  const scope = { profile: "mails" };
  const bounds = { rows: [rowId] };
  const request = { toolId: `conn:${rowId}/send`, params: { text: "scoped" } };
  const asked: unknown = await hub.operations.calls
    .call({ ...scoped, caller: { ...scoped.caller, scope, bounds } }, request)
    .catch((thrown: unknown) => thrown);
  if (!(asked instanceof HubError)) throw new Error("It ran unasked");
  await hub.decide(String(asked.detail.pending_id), "approved");
  await hub.decide(await hub.ask(rowId, { text: "not scoped" }), "approved");
  const limits: unknown[] = [];
  const calls: RunApprovedDeps["calls"] = {
    async call({ caller }) {
      limits.push([caller.scope, caller.bounds]);
      throw new HubError("approval_required", "It does not run here.");
    },
  };
  const findCaller = async () => hub.toContext().caller;
  const deps = { db: hub.db, calls, now: () => Date.now(), findCaller };
  await runApprovedCalls(deps, new AbortController().signal);
  // They begin together.
  expect(limits).toHaveLength(2);
  expect(limits).toContainEqual([scope, bounds]);
  expect(limits).toContainEqual([null, undefined]);
});

test("The right of an approved call that runs by itself can be read while it runs, and ends with its token", async () => {
  await using owned = new AsyncDisposableStack();
  const principal = { kind: "token", id: crypto.randomUUID() } as const;
  const hub = await openAskedHub({ principal });
  owned.defer(() => hub.close());
  await insertUser(hub.db, newUser({ id: testUserId }));
  const { id } = await insertToken(hub.db, newToken(testUserId, 1, { id: principal.id }));
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  await hub.decide(await hub.ask(rowId, { text: "a" }), "approved");
  const seen: unknown[] = [];
  const calls: RunApprovedDeps["calls"] = {
    async call(ctx) {
      seen.push((await ctx.findCaller?.())?.tokenId);
      await runSql(hub.db, `update personal_access_tokens set revoked_at = 1 where id = '${id}'`);
      seen.push(await ctx.findCaller?.());
      throw new HubError("cancelled", "The right has ended.");
    },
  };
  const findCaller = async () => hub.toContext().caller;
  const deps = { db: hub.db, calls, now: () => Date.now(), findCaller };
  await runApprovedCalls(deps, new AbortController().signal);
  expect(seen).toEqual([principal.id, null]);
});

test("An approved call that a limit refuses is tried less and less often, and one that a rule refuses ends", async () => {
  await using owned = new AsyncDisposableStack();
  const hub = await openAskedHub();
  owned.defer(() => hub.close());
  const rowId = await hub.addAskedRow({ runsOnApproval: true });
  const id = await hub.ask(rowId, { text: "limited" });
  await hub.decide(id, "approved");
  const start = Date.now();
  const until = start + pendingLimits.approvedMs;
  await runSql(hub.db, `update pending_calls set approved_until = ${until} where id = '${id}'`);
  let at = start;
  let code: "rate_limited" | "refused_by_rule" = "rate_limited";
  const tries: number[] = [];
  const calls: RunApprovedDeps["calls"] = {
    async call() {
      tries.push(Math.round((at - start) / 1000));
      throw new HubError(code, "Refused.");
    },
  };
  const retries = new Map<string, number>();
  const findCaller = async () => hub.toContext().caller;
  const round = () =>
    runApprovedCalls(
      { db: hub.db, calls, now: () => at, findCaller, retries },
      new AbortController().signal,
    );
  for (; at < start + 600_000; at += 5_000) await round();
  expect(tries).toEqual([0, 15, 30, 60, 120, 240, 360, 480]);
  code = "refused_by_rule";
  await round();
  expect(await hub.findState(id)).toBe("ended");
});
