import { afterAll, beforeAll, expect, test } from "bun:test";
import { createSignInThrottle } from "../../identity/sign-in-throttle.ts";
import { openTestServices } from "../testing/open-test-services.ts";
import { listRefusedSignIns } from "./list-refused-sign-ins.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
  await hub.admin.users.add({ email: "ada@example.com" });
  await hub.admin.users.add({ email: "ben@example.com" });
  await hub.admin.users.add({ email: "cleo@example.com" });
});
afterAll(() => hub.close());

async function refuse(account: string, times: number): Promise<void> {
  const throttle = createSignInThrottle({ db: hub.deps.store.db, now: hub.deps.now });
  for (let at = 0; at < times; at += 1) await throttle.begin({ account, address: `192.0.2.${at}` });
}

test("Users with several refused sign-ins are named, most first, and other e-mails are only counted", async () => {
  expect(await listRefusedSignIns(hub.deps)).toEqual({ users: [], unknown: 0 });
  await refuse("ada@example.com", 5);
  await refuse("ben@example.com", 7);
  await refuse("cleo@example.com", 4);
  await refuse("my password in the wrong field", 3);
  const { users, unknown } = await listRefusedSignIns(hub.deps);
  expect(users.map(({ email, refused }) => [email, refused])).toEqual([
    ["ben@example.com", 7],
    ["ada@example.com", 5],
  ]);
  expect(unknown).toBe(3);
});

test("Refused sign-ins are forgotten after a day, and when the user signs in nothing is added", async () => {
  const later = hub.deps.now() + 25 * 3_600_000;
  const { users, unknown } = await listRefusedSignIns({ ...hub.deps, now: () => later });
  expect([users, unknown]).toEqual([[], 0]);
  const throttle = createSignInThrottle({ db: hub.deps.store.db, now: hub.deps.now });
  const before = await listRefusedSignIns(hub.deps);
  const begun = await throttle.begin({ account: "ben@example.com", address: "192.0.2.77" });
  if ("succeed" in begun) await begun.succeed();
  expect(await listRefusedSignIns(hub.deps)).toEqual(before);
});
