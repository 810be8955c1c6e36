import { afterAll, beforeAll, expect, test } from "bun:test";
import { commandLineActor } from "../../identity/local-admin.ts";
import { openSession } from "../../identity/testing/open-test-session.ts";
import { insertIdentity } from "../../store/users/identities-table.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { unlinkIdentities } from "./manage-identities.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

/** A user with accounts at these providers, and a session. */
async function addUser(email: string, issuers: readonly string[]) {
  const { id: userId } = await hub.admin.users.add({ email });
  const { db } = hub.deps.store;
  const ids: string[] = [];
  for (const issuer of issuers) {
    const id = crypto.randomUUID();
    const account = { id, userId, issuer, subject: email, email };
    await insertIdentity(db, { ...account, createdAt: 1, lastUsedAt: 1 });
    ids.push(id);
  }
  await openSession({ db }, { userId });
  const readState = async () => [
    (await hub.admin.identities.list(userId)).map(({ id }) => id).toSorted(),
    (await hub.admin.sessions.list({ user: userId })).length,
  ];
  const unlink = (identity?: string) =>
    unlinkIdentities(
      hub.deps,
      commandLineActor,
      userId,
      identity === undefined ? {} : { identity },
    );
  return { ids, readState, unlink };
}

const issuers = ["https://id.example.com", "https://other.example.com"];

test("One linked account is unlinked, or all of them, and the user's sessions end", async () => {
  const [first, second] = [await addUser("a@x", issuers), await addUser("b@x", issuers)];
  expect((await first.unlink(first.ids[0])).map(({ id }) => id)).toEqual(first.ids.slice(0, 1));
  expect(await first.readState()).toEqual([first.ids.slice(1), 0]);
  expect(await second.unlink()).toHaveLength(2);
  expect(await second.readState()).toEqual([[], 0]);
});

test("An account of another user cannot be unlinked, nor one that does not exist, and no session ends", async () => {
  const [ada, eve] = [await addUser("ada@x", issuers), await addUser("eve@x", [])];
  for (const unlinked of [
    () => ada.unlink(crypto.randomUUID()),
    () => eve.unlink(ada.ids[0]),
    () => eve.unlink(),
  ]) {
    await expect(unlinked()).rejects.toMatchObject({ code: "not_found" });
  }
  expect(await ada.readState()).toEqual([ada.ids.toSorted(), 1]);
  expect(await eve.readState()).toEqual([[], 1]);
});
