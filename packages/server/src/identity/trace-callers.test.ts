import { expect, test } from "bun:test";
import { recordSpans } from "../lib/tracing/testing/record-spans.ts";
import type { User } from "../store/users/users-table.ts";
import type { SignedIn } from "./browser-sessions.ts";
import { traceCallers } from "./trace-callers.ts";

const caller = {
  userId: "ada",
  email: "ada@example.com",
  name: "Ada",
  role: "user" as const,
  tags: new Set<string>(),
  tokenId: "t",
};

function toSession(status: User["status"], mustChangePassword = false): SignedIn {
  // Only these members are read.
  const user = { id: "ada", status } as User;
  return {
    sessionId: "s",
    csrfToken: "c",
    user,
    mustChangePassword,
    freshAt: 0,
    hasPassword: true,
  };
}

function open(known: { isValid: boolean; session: SignedIn | null }) {
  const { tracing, admitted } = recordSpans();
  const never = () => Promise.reject(new Error("not used"));
  const doors = traceCallers(
    {
      authenticate: async () => (known.isValid ? caller : null),
      authenticatePersonalToken: async () =>
        known.isValid ? { caller, scope: "mcp" as const } : null,
      sessions: {
        begin: never,
        find: async () => known.session,
        end: never,
        endOthers: never,
        list: never,
      } as unknown as Parameters<typeof traceCallers>[0]["sessions"],
    },
    tracing,
  );
  return { doors, admitted };
}

test("A valid token or session of an active user admits the request's trace context", async () => {
  const { doors, admitted } = open({ isValid: true, session: toSession("active") });
  await doors.authenticate("t", "checked");
  await doors.authenticatePersonalToken("t");
  await doors.sessions.find("s");
  expect(admitted).toEqual(["ada", "ada", "ada"]);
});

test.each([
  ["no session", null],
  ["a pending user", toSession("pending")],
  ["a disabled user", toSession("disabled")],
  ["a user with a one-time password", toSession("active", true)],
])("An invalid token and %s admit nothing", async (_, session) => {
  const { doors, admitted } = open({ isValid: false, session });
  expect(await doors.authenticate("t", "checked")).toBeNull();
  expect(await doors.authenticatePersonalToken("t")).toBeNull();
  expect(await doors.sessions.find("s")).toBe(session);
  expect(admitted).toEqual([]);
});
