import { expect, test } from "bun:test";
import { type Db, transaction } from "../database/database.ts";
import { deleteRow, findRowBySlug, insertRow, listSlugs, updateRow } from "../rows/rows-table.ts";
import { newRow, newUser, newWorkflow } from "../test-data.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser } from "../users/users-table.ts";
import { insertWorkflow, updateWorkflow } from "../workflows/workflow-changes.ts";
import { listChannelTriggers, putTriggers } from "../workflows/workflow-triggers.ts";
import {
  claimChannel,
  freeChannels,
  listChannelHolders,
  listChannelStates,
  putRecentEnvelopes,
  releaseChannel,
  renewChannel,
  reportChannel,
} from "./channels-table.ts";

/** Slugs, connections and triggers of channels. */
export function describeChannels(stores: () => TestStores): void {
  const db = (): Db => stores().store.db;
  const addChannel = (slug: string, connectorKey = "slack") =>
    insertRow(db(), newRow({ slug, connectorKey }));

  test("A slug is unique, found, listed by its beginning, changed, and free after a deletion", async () => {
    const { id } = await addChannel("team");
    await addChannel("team-2", "telegram");
    await addChannel("teapot");
    expect(await findRowBySlug(db(), "team")).toMatchObject({ id, slug: "team" });
    expect((await listSlugs(db(), "team")).sort()).toEqual(["team", "team-2"]);
    await expect(addChannel("team")).rejects.toThrow();
    expect(await updateRow(db(), id, { slug: "ops" }, 1)).toMatchObject({ slug: "ops" });
    expect((await stores().store.reads.loadSnapshot()).rows.map(({ slug }) => slug)).toContain(
      "ops",
    );
    await deleteRow(db(), id);
    await addChannel("ops");
    expect(await findRowBySlug(db(), "none")).toBeNull();
  });

  test("One process holds a channel until it releases it or its lease ends", async () => {
    const { id: rowId } = await addChannel("team");
    const [one, two] = await Promise.all(
      ["one", "two"].map((holder) => claimChannel(db(), { rowId, holder })),
    );
    const held = one ?? two;
    if (held === null || held === undefined) throw new Error("No process got the channel");
    expect([one, two]).toContain(null);
    expect(await renewChannel(db(), held)).toBeTrue();
    expect(await listChannelStates(db(), [rowId])).toMatchObject([{ holder: held.holder }]);
    await releaseChannel(db(), held);
    expect(await renewChannel(db(), held)).toBeFalse();
    const next = await claimChannel(db(), { rowId, holder: "three" });
    expect(next).toEqual({ rowId, holder: "three", number: held.number + 1 });
    await runSql(db(), "update channel_states set held_until = 1");
    expect(await listChannelStates(db(), [rowId])).toMatchObject([{ holder: null }]);
    expect(await claimChannel(db(), { rowId, holder: "four" })).not.toBeNull();
    if (next !== null) expect(await renewChannel(db(), next)).toBeFalse();
    expect(await listChannelHolders(db())).toEqual(["four"]);
    await freeChannels(db(), ["four", "none"]);
    expect(await listChannelHolders(db())).toEqual([]);
    expect(await claimChannel(db(), { rowId, holder: "five" })).not.toBeNull();
  });

  test("Only the holder of a channel reports its connection, and its cursor outlives the lease", async () => {
    const { id: rowId } = await addChannel("team");
    const first = await claimChannel(db(), { rowId, holder: "one" });
    if (first === null) throw new Error("The channel is free");
    const report = { state: "connected", reason: null, changedAt: 5, cursor: "17" } as const;
    expect(await reportChannel(db(), first, { ...report, account: "{}" })).toBeTrue();
    await releaseChannel(db(), first);
    const second = await claimChannel(db(), { rowId, holder: "two" });
    if (second === null) throw new Error("The channel is free");
    expect(await reportChannel(db(), first, { cursor: "16" })).toBeFalse();
    // The connection of the former holder says nothing about this one.
    expect(await listChannelStates(db(), [rowId])).toMatchObject([{ state: "connecting" }]);
    await putRecentEnvelopes(db(), rowId, "[1]");
    expect(await reportChannel(db(), second, { state: "failed", reason: "revoked" })).toBeTrue();
    expect(await listChannelStates(db(), [rowId, "none"])).toEqual([
      {
        rowId,
        holder: "two",
        state: "failed",
        reason: "revoked",
        changedAt: 5,
        refusedVersion: null,
        account: "{}",
        cursor: "17",
        recent: "[1]",
      },
    ]);
    await deleteRow(db(), rowId);
    expect(await listChannelStates(db(), [rowId])).toEqual([]);
  });

  test("The channel triggers of enabled workflows are found by a name of the channel and the event", async () => {
    const { id: ownerId } = await insertUser(db(), newUser({ email: "ann@example.com" }));
    const add = async (channel: string, event: string, match: Record<string, unknown> | null) => {
      const workflow = newWorkflow(ownerId);
      await insertWorkflow(db(), workflow);
      const none = { schedule: null, timezone: null, catchUp: null, sourceWorkflow: null };
      const trigger = { id: "said", type: "channel", entry: "a", ...none, severities: null };
      await transaction(db(), (trx) =>
        putTriggers(trx, workflow.id, [{ ...trigger, channel, event, match }], 1),
      );
      return workflow.id;
    };
    const one = await add("team", "message", { text_contains: "hi" });
    const two = await add("slack", "message", null);
    const off = await add("team", "message", null);
    await add("team", "command", null);
    await add("other", "message", null);
    await updateWorkflow(db(), off, { enabled: false }, 2);
    const found = await listChannelTriggers(db(), {
      channels: ["team", "slack"],
      event: "message",
    });
    expect(found).toEqual(
      [
        { workflowId: one, channel: "team", match: '{"text_contains":"hi"}' },
        { workflowId: two, channel: "slack", match: null },
      ]
        .map((trigger) => ({ ...trigger, triggerId: "said", ownerId }))
        .sort((a, b) => (a.workflowId < b.workflowId ? -1 : 1)),
    );
  });
}
