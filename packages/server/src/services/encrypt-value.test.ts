import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestManager } from "./testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestManager>>;
beforeAll(async () => {
  hub = await openTestManager();
});
afterAll(() => hub.close());

test("a value becomes a token of the named user, which opens for that user alone", async () => {
  const ada = await hub.manager.users.add({ email: "ada@example.com" });
  const ben = await hub.manager.users.add({ email: "ben@example.com" });
  const made = await hub.manager.encrypt({ user: "ada@example.com", text: "hunter2" });
  expect(made.user).toBe(ada.email);
  const text = `  Bearer ${made.token}\n`;
  expect(await hub.manager.decrypt({ userId: ada.id, text })).toBe("Bearer hunter2");
  await expect(hub.manager.decrypt({ userId: ben.id, text })).rejects.toMatchObject({
    code: "token_invalid",
  });
});

test("without a name it is the local admin's", async () => {
  expect((await hub.manager.encrypt({ text: "x" })).user).toBe("local-admin");
});

test("nothing to encrypt, nothing to decrypt and nobody to do it for are told apart", async () => {
  const { manager } = hub;
  await expect(manager.encrypt({ text: "" })).rejects.toMatchObject({
    ...{ code: "bad_request", message: expect.stringContaining("the value is empty") },
  });
  await expect(manager.encrypt({ user: "eve@example.com", text: "x" })).rejects.toMatchObject({
    code: "not_found",
  });
  const plain = manager.decrypt({ userId: crypto.randomUUID(), text: "no token" });
  await expect(plain).rejects.toMatchObject({
    ...{ code: "bad_request", message: expect.stringContaining("no hub_enc_ token") },
  });
});
