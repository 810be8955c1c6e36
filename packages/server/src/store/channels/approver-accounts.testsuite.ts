import { expect, test } from "bun:test";
import { newUser } from "../test-data.ts";
import { insertTestApproval } from "../testing/insert-approval.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser, setUserTags, updateUser } from "../users/users-table.ts";
import type { NewApproval } from "../workflow-runs/workflow-approval-records.ts";
import { listApproverAccounts } from "./approver-accounts.ts";
import { insertChatAccount } from "./chat-accounts-table.ts";

/** The chat accounts of those who are asked for an approval. */
export function describeApproverAccounts(stores: () => TestStores): void {
  const db = () => stores().store.db;

  test("The accounts of active approvers are listed: by tag, for everyone, and by user with the e-mail of then", async () => {
    const add = async (name: string, given: object = {}) => {
      const { id } = await insertUser(db(), newUser({ email: `${name}@example.com`, ...given }));
      const account = {
        id: crypto.randomUUID(),
        userId: id,
        accountId: name,
        createdAt: 1,
        accountName: name,
        teamName: null,
        rowId: null,
      };
      await insertChatAccount(db(), { ...account, kind: "slack", teamId: "T1" });
      return { id, account };
    };
    const ann = await add("ann", { tags: ["ops"] });
    const bob = await add("bob");
    const eve = await add("eve", { tags: ["ops"] });
    await insertChatAccount(db(), {
      ...bob.account,
      id: crypto.randomUUID(),
      kind: "telegram",
      teamId: null,
      createdAt: 2,
    });
    await updateUser(db(), eve.id, { status: "disabled" }, 1);
    const list = async (people: NewApproval["people"], limit = 10) => {
      const { id } = await insertTestApproval(db(), { people });
      return (await listApproverAccounts(db(), id, limit)).map(
        ({ userId, kind, teamId, accountId }) => [userId, kind, teamId, accountId],
      );
    };
    const ofAnn = [ann.id, "slack", "T1", "ann"];
    const ofBob = [
      [bob.id, "slack", "T1", "bob"],
      [bob.id, "telegram", null, "bob"],
    ];
    const user = { kind: "user" as const, userId: bob.id, email: "bob@example.com" };
    expect(await list([])).toEqual([]);
    expect(await list([{ kind: "tag", name: "ops" }])).toEqual([ofAnn]);
    expect(await list([user])).toEqual(ofBob);
    // One who is an approver twice is asked once.
    const all = await list([{ kind: "tag", name: "everyone" }, user]);
    expect(all).toHaveLength(3);
    expect(all.at(-1)).toEqual(ofBob[1] ?? []);
    expect(await list([{ kind: "tag", name: "everyone" }], 2)).toHaveLength(2);
    await setUserTags(db(), ann.id, [], 2);
    expect(await list([{ kind: "tag", name: "ops" }])).toEqual([]);
    await runSql(db(), "update users set email = 'new@example.com' where id = ?", bob.id);
    expect(await list([user])).toEqual([]);
  });
}
