/** Protects: requests of SCIM take few statements, and none that reads all users inside of a transaction. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { hubActor } from "../../identity/local-admin.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { listMemberIds } from "../../store/scim/scim-members-table.ts";
import { newUser } from "../../store/test-data.ts";
import { listenTo } from "../../store/testing/listen-to.ts";
import { insertIdentity } from "../../store/users/identities-table.ts";
import { insertUser } from "../../store/users/users-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { createGroup } from "./groups/change-group.ts";
import { changeMembers } from "./groups/change-members.ts";
import { createScimClient } from "./manage-scim-clients.ts";
import type { ScimRequester } from "./scim-deps.ts";
import { createUser } from "./users/create-user.ts";

const issuer = "https://id.example.com";
let hub: Awaited<ReturnType<typeof openTestServices>>;
let requester: ScimRequester;
beforeAll(async () => {
  hub = await openTestServices();
  const { id, name } = await createScimClient(hub.deps, hubActor, { name: "Provider", issuer });
  requester = { client: { id, name, issuer }, actor: hubActor };
});
afterAll(() => hub.close());

async function addLinked(): Promise<string> {
  const { db } = hub.deps.store;
  const { id, email } = await insertUser(
    db,
    newUser({ email: `${crypto.randomUUID()}@example.com` }),
  );
  const account = { issuer, subject: id, email, createdAt: 1, lastUsedAt: 1 };
  await insertIdentity(db, { id: crypto.randomUUID(), userId: id, ...account });
  return id;
}

/** Makes these users members. Returns the number of statements. */
async function setMembers(groupId: string, ids: readonly string[]): Promise<number> {
  return await transaction(hub.deps.store.db, async (trx) => {
    const { db, read } = listenTo(trx);
    const given = { client: requester.client, groupId, at: 1 };
    // The same transaction, listened to.
    await changeMembers(db as Transaction, { ...given, changes: [{ kind: "set", ids }] });
    return read.length;
  });
}

test("Users who are taken over as members take as many statements together as one alone", async () => {
  const { group: small } = await createGroup(hub.deps, requester, { displayName: "Small" });
  const { group } = await createGroup(hub.deps, requester, { displayName: "Staff" });
  const one = await setMembers(small.id, [await addLinked()]);
  const ids: string[] = [];
  for (let count = 0; count < 20; count += 1) ids.push(await addLinked());
  expect(await setMembers(group.id, ids)).toBe(one);
  expect(await listMemberIds(hub.deps.store.db, group.id)).toEqual(ids.toSorted());
  const unknown = setMembers(group.id, [...ids, await addLinked(), crypto.randomUUID()]);
  await expect(unknown).rejects.toThrow("There is no user with the id");
});

test("Users and groups of the client are counted before the transaction that makes one", async () => {
  const { db, read } = listenTo(hub.deps.store.db);
  const deps = { ...hub.deps, store: { ...hub.deps.store, db } };
  await createUser(deps, requester, { userName: "counted@example.com" });
  await createGroup(deps, requester, { displayName: "Counted" });
  const counts = read.filter((statement) => statement.includes('"func":"count"'));
  expect(counts.map((statement) => /scim_(users|groups)/.exec(statement)?.[0])).toEqual([
    "scim_users",
    "scim_groups",
  ]);
});
