import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

test("A value becomes a token that opens only for its user", async () => {
  const ada = await hub.admin.users.add({ email: "ada@example.com" });
  const ben = await hub.admin.users.add({ email: "ben@example.com" });
  const made = await hub.admin.encrypt({ user: "ada@example.com", text: "hunter2" });
  const text = `  Bearer ${made.token}\n`;
  expect(await hub.admin.decrypt({ userId: ada.id, text })).toBe("Bearer hunter2");
  await expect(hub.admin.decrypt({ userId: ben.id, text })).rejects.toMatchObject({
    code: "token_invalid",
  });
});

test("An empty value and a text without a token are refused with their reasons", async () => {
  const { admin } = hub;
  await expect(admin.encrypt({ text: "" })).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("value to encrypt is empty"),
  });
  const plain = admin.decrypt({ userId: crypto.randomUUID(), text: "no token" });
  await expect(plain).rejects.toMatchObject({
    code: "bad_request",
    message: expect.stringContaining("no hub_enc_ token"),
  });
});
