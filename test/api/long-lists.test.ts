/** Protects: what many users may fill is listed in pages, and a search looks at some of it at a time. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type ApiHub, openApiHub } from "./open-api-hub.ts";

let hub: ApiHub;
beforeAll(async () => {
  hub = await openApiHub();
});
afterAll(() => hub[Symbol.asyncDispose]());

test.each([
  "sessions",
  "applications",
])("All %s can be read in pages of two, each of them once", async (noun) => {
  const admin = await hub.addUser(`admin-${noun}@example.com`, { admin: true });
  const made = new Set<string>();
  for (const name of ["ada", "ben"]) {
    const { user } = await hub.addUser(`${name}-${noun}@example.com`);
    for (let count = 0; count < 3; count += 1) {
      made.add(
        noun === "sessions"
          ? (await hub.addSession(user.id)).id
          : await hub.addApplication(user.id),
      );
    }
  }
  const found: string[] = [];
  let after: string | null = "";
  while (after !== null) {
    const more: string = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const { headers } = admin;
    const path = `/admin/api/${noun}?limit=2${more}`;
    const { status, body } = await hub.request("GET", path, { headers });
    expect(status).toBe(200);
    const page: { id: string }[] = body[noun];
    expect(page.length).toBeLessThanOrEqual(2);
    found.push(...page.map(({ id }) => id));
    after = body.next;
  }
  expect(new Set(found).size).toBe(found.length);
  expect([...made].filter((id) => !found.includes(id))).toEqual([]);
});

test("A cursor of another list is refused", async () => {
  const { headers } = await hub.addUser("cursors@example.com", { admin: true });
  const after = Buffer.from('[true,"x"]').toString("base64url");
  for (const noun of ["sessions", "applications"]) {
    const { status } = await hub.request("GET", `/admin/api/${noun}?after=${after}`, { headers });
    expect([noun, status]).toEqual([noun, 400]);
  }
});
