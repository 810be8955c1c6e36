import { describe, expect, test } from "bun:test";
import type { SignedIn } from "../../identity/browser-sessions.ts";
import { newUser } from "../../store/test-data.ts";
import { openTestApp } from "../testing/open-test-app.ts";

const signedIn: SignedIn = {
  sessionId: "s1",
  csrfToken: "token-of-the-session",
  // The pages in this test do not show the other members.
  user: newUser({ id: "u1" }) as SignedIn["user"],
  mustChangePassword: false,
  freshAt: 0,
  hasPassword: true,
};
const host = { host: "localhost:7420" };
const toCookies = (answer: Response) =>
  answer.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");

function openPages(session: SignedIn | null = null, failure: Error | null = null) {
  const ended: string[] = [];
  const { app } = openTestApp({
    findSession: async () => session,
    async endSession(id) {
      await Promise.resolve();
      if (failure !== null) throw failure;
      ended.push(id);
      return true;
    },
  });
  return {
    ended,
    get: (path: string, headers: Record<string, string> = {}) =>
      app.request(`http://localhost:7420${path}`, { headers: { ...host, ...headers } }),
    post: (path: string, fields: Record<string, string>, cookie: string) =>
      app.request(`http://localhost:7420${path}`, {
        method: "POST",
        headers: { ...host, cookie, "content-type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams(fields).toString(),
      }),
  };
}

const readCsrf = async (answer: Response) =>
  /name="csrf" value="([^"]+)"/.exec(await answer.text())?.[1] ?? "";

describe("the sign-in page", () => {
  test("The sign-in page does not invalidate the form of an earlier page of the same browser", async () => {
    const { get, post } = openPages();
    const first = await get("/auth/login");
    const cookie = toCookies(first);
    expect(cookie).not.toBe("");
    const second = await get("/auth/login", { cookie });
    expect(toCookies(second)).toBe("");
    const csrf = await readCsrf(first);
    expect(await readCsrf(second)).toBe(csrf);
    const fields = { csrf, email: "ada@example.com", password: "wrong" };
    expect((await post("/auth/login", fields, cookie)).status).toBe(401);
    const other = await get("/auth/login");
    expect((await post("/auth/login", fields, toCookies(other))).status).toBe(403);
  });
});

describe("signing out", () => {
  const cookie = `hub_session=${"a".repeat(43)}; __Host-hub_session=${"a".repeat(43)}`;

  test("Signing out ends the browser's session, deletes its cookie and redirects to sign-in", async () => {
    const { post, ended } = openPages(signedIn);
    const fields = { csrf: signedIn.csrfToken, next: "/profile/tokens" };
    const answer = await post("/auth/logout", fields, cookie);
    expect(ended).toEqual(["s1"]);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      "/auth/login?next=%2Fprofile%2Ftokens",
    ]);
    const [taken = ""] = answer.headers.getSetCookie();
    expect(taken).toMatch(/hub_session=;.*max-age=0/i);
  });

  test("A failed sign-out gets 500 and keeps the cookie", async () => {
    const { post } = openPages(signedIn, new Error("disk full"));
    const answer = await post("/auth/logout", { csrf: signedIn.csrfToken }, cookie);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([500, []]);
  });

  test("Signing out without the session's CSRF token is refused (no cross-site sign-out)", async () => {
    const { post, ended } = openPages(signedIn);
    expect((await post("/auth/logout", { csrf: "made-up" }, cookie)).status).toBe(403);
    expect(ended).toEqual([]);
  });
});
