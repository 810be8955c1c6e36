import { afterAll, beforeAll, expect, test } from "bun:test";
import { openTestServices } from "../testing/open-test-services.ts";

let hub: Awaited<ReturnType<typeof openTestServices>>;
beforeAll(async () => {
  hub = await openTestServices();
});
afterAll(() => hub.close());

test("A new user is active and named after the e-mail", async () => {
  const user = await hub.admin.users.add({ email: "Ada@Example.com", tags: ["Support"] });
  expect(user).toMatchObject({
    email: "ada@example.com",
    name: "ada",
    role: "user",
    status: "active",
    tags: ["support"],
  });
});

test("Every user has the reserved tag, which is not stored", async () => {
  const user = await hub.admin.users.add({ email: "everyone@example.com", tags: ["everyone"] });
  expect(user.tags).toEqual([]);
});

test("Two users cannot have the same e-mail, in any case", async () => {
  await hub.admin.users.add({ email: "twice@example.com" });
  await expect(hub.admin.users.add({ email: "TWICE@example.com" })).rejects.toMatchObject({
    code: "conflict",
    message: expect.stringContaining("is already a user"),
  });
});

test.each([
  "",
  "nobody",
  "a b@example.com",
  "@example.com",
  "a@\u0007b",
])("The e-mail address %j is refused", async (email) => {
  const added = hub.admin.users.add({ email });
  await expect(added).rejects.toThrow("email must be an email address");
});

test.each([
  ["ada", "must be an email address"],
  ["a b@example.com", "must be an email address"],
  [`${"a".repeat(243)}@example.com`, "at most 254 characters"],
])("The e-mail address %s of a user is refused", async (email, says) => {
  await expect(hub.admin.users.add({ email })).rejects.toThrow(says);
});
