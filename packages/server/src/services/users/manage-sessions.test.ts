import { afterAll, beforeAll, expect, test } from "bun:test";
import { idleMsMax, sessionMsMax } from "../../identity/browser-sessions.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import { openSession } from "../../identity/testing/open-test-session.ts";
import { touchSession } from "../../store/users/sessions-table.ts";
import { actAs } from "../testing/act-as.ts";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

let users = 0;
async function addUser() {
  users += 1;
  const user = await hub.admin.users.add({ email: `user-${users}@example.com` });
  const open = () => openSession({ ...hub.deps.store, now: hub.deps.now }, { userId: user.id });
  const list = async () => (await hub.admin.sessions.list({ user: user.id })).map(({ id }) => id);
  return { ...user, open, list };
}

test("A user cannot end another user's session, and gets the answer for an absent one", async () => {
  const [ada, eve] = [await addUser(), await addUser()];
  const { id } = await ada.open();
  const end = (session: string) => hub.admin.sessions.end(session, { user: eve.id });
  const refusals = await Promise.all(
    [id, crypto.randomUUID()].map((one) => end(one).catch(String)),
  );
  expect(refusals).toEqual(Array(2).fill("HubError: There is no such session."));
  expect(await ada.list()).toEqual([id]);
  expect(await hub.admin.sessions.end(id, { user: ada.id })).toEqual({ id });
  expect(await ada.list()).toEqual([]);
});

test("The end of all sessions of a user leaves those of other users and the excepted one", async () => {
  const [ada, ben] = [await addUser(), await addUser()];
  const [, kept, others] = [await ada.open(), await ada.open(), await ben.open()];
  expect(await hub.admin.sessions.endAll(ada.id, { except: kept.id })).toEqual({ ended: 1 });
  expect([await ada.list(), await ben.list()]).toEqual([[kept.id], [others.id]]);
});

test.each([
  ["is 30 days old", sessionMsMax, sessionMsMax - 1],
  ["was not used for 7 days", idleMsMax, 0],
])("A session that %s is over: it is not listed and cannot be ended", async (_, overMs, usedMs) => {
  const ada = await addUser();
  const startedAt = 1_000_000;
  const at = (ms: number) => actAs({ ...hub.deps, now: () => startedAt + ms }, commandLineActor);
  const { db } = hub.deps.store;
  const { id } = await openSession({ db, now: () => startedAt }, { userId: ada.id });
  await touchSession(db, id, startedAt + usedMs);
  expect(await at(overMs - 1).sessions.list({ user: ada.id })).toHaveLength(1);
  expect(await at(overMs).sessions.list({ user: ada.id })).toEqual([]);
  await expect(at(overMs).sessions.end(id)).rejects.toMatchObject({ code: "not_found" });
  expect(await at(overMs - 1).sessions.end(id)).toEqual({ id });
});
