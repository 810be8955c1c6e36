import { expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { countSignIns, countSingleSignOn } from "./count-sign-ins.ts";
import type { SignIn } from "./sign-in.ts";

const visitor = { ipAddress: null, userAgent: null };
const refusal = new HubError("forbidden", "Ask an admin.", { detail: { reason: "user_disabled" } });

/** Finishes one single sign-on; returns what was counted and logged. */
async function finish(work: () => Promise<{ token: string; destination: string }>) {
  const counted: unknown[] = [];
  const logged: unknown[] = [];
  const singleSignOn = countSingleSignOn({
    singleSignOn: {
      name: "Example ID",
      begin: async () => ({ url: "https://id.example/", cookie: "c" }),
      endByLogout: async () => {},
      finish: work,
    },
    issuer: "https://id.example",
    metrics: { countSignIn: (...given) => counted.push(given) },
    log: { info: (...given: unknown[]) => logged.push(given) },
  });
  const outcome = await singleSignOn.finish("?code=c", null, visitor).catch((thrown) => thrown);
  return { outcome, counted, logged };
}

test("A successful single sign-on is counted and not logged", async () => {
  const finished = { token: "t", destination: "/" };
  const { outcome, counted, logged } = await finish(async () => finished);
  expect(outcome).toEqual(finished);
  expect(counted).toEqual([["single_sign_on", "success"]]);
  expect(logged).toEqual([]);
});

test("A refused single sign-on is counted as refused and logged with its reason", async () => {
  const { outcome, counted, logged } = await finish(() => Promise.reject(refusal));
  expect(outcome).toBe(refusal);
  expect(counted).toEqual([["single_sign_on", "refused"]]);
  expect(logged).toEqual([
    [{ issuer: "https://id.example", reason: "user_disabled" }, "a single sign-on was refused"],
  ]);
});

test("A refusal without a reason is logged as an unconfirmed account", async () => {
  const { logged } = await finish(() => Promise.reject(new HubError("forbidden", "No.")));
  expect(logged).toMatchObject([[{ reason: "not_vouched_for" }, expect.anything()]]);
});

test.each([
  ["the provider", new HubError("upstream_error", "It does not answer.")],
  ["the database", new Error("disk full")],
])("A single sign-on that fails because of %s is counted as failed, not as refused", async (_, failure) => {
  const { outcome, counted, logged } = await finish(() => Promise.reject(failure));
  expect(outcome).toBe(failure);
  expect(counted).toEqual([["single_sign_on", "failed"]]);
  expect(logged).toEqual([]);
});

test.each<[string, SignIn["byPassword"]]>([
  ["success", async () => ({ token: "t" })],
  ["refused", async () => null],
  ["failed", () => Promise.reject(new Error("disk full"))],
])("A sign-in by password is counted as %s and returns its result unchanged", async (word, byPassword) => {
  const counted: unknown[] = [];
  const metrics = { countSignIn: (...given: unknown[]) => counted.push(given) };
  const changePassword = () => Promise.reject(new Error("not used"));
  const confirm = changePassword;
  const signIn = countSignIns({ signIn: { byPassword, changePassword, confirm }, metrics });
  const given = { email: "ada@example.com", password: "p", browserCookie: null };
  const outcome = await signIn.byPassword(given, visitor).catch((thrown) => thrown);
  expect(outcome).toEqual(await byPassword(given, visitor).catch((thrown) => thrown));
  expect(counted).toEqual([["password", word]]);
});
