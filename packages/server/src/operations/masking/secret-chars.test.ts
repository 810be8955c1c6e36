import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";

const secretChars = 10_000;
let release = Promise.withResolvers<void>();
let arrived = Promise.withResolvers<void>();

const connector = defineConnector({
  key: "vault",
  name: "Vault",
  icon: "lock",
  tier: "builtin",
  description: "Takes values.",
  config: { Token: wick("secret;required") },
  operations: {
    take: {
      description: "Takes what it is given.",
      input: { Data: wick.json(""), Password: wick("secret") },
      run: ({ params }) => ({ chars: JSON.stringify(params.Data ?? params.Password).length }),
    },
    wait: {
      description: "Waits, also after the call has ended.",
      input: { Data: wick.json("") },
      async run() {
        arrived.resolve();
        await release.promise;
        return "waited";
      },
    },
    name: {
      description: "Names a long value.",
      input: { Chars: wick.int("required") },
      run({ params, mask }) {
        mask("s".repeat(Number(params.Chars)));
        return "the answer";
      },
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;
beforeAll(async () => {
  hub = await openTestOperations(connector, { budgets: { secretChars } });
  rowId = await hub.addRow({ tags: ["team"], secrets: { token: "row-secret".repeat(2_000) } });
});
afterAll(() => hub.close());
beforeEach(() => {
  release = Promise.withResolvers();
  arrived = Promise.withResolvers();
});

const seal = (text: string) =>
  sealValue(hub.ring.current(), { userId: testUserId, rowId: null }, text);
const call = (operation: string, params: Record<string, unknown>, signal?: AbortSignal) =>
  hub.operations.calls.call(toTestCall(["team"], signal && { signal }), {
    toolId: `conn:${rowId}/${operation}`,
    params,
  });

async function catchError(made: Promise<unknown>): Promise<HubError> {
  const thrown = await made.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (thrown instanceof HubError) return thrown;
  throw new Error("The call did not fail as expected", { cause: thrown });
}

test("A call whose tokens have too many characters together is refused, and a smaller one is not", async () => {
  const tokens = [seal(`a${"x".repeat(5_999)}`), seal(`b${"x".repeat(5_999)}`)];
  const error = await catchError(call("take", { data: tokens }));
  expect(error.code).toBe("invalid_params");
  expect(error.detail).toMatchObject({ budget: "secretChars", limit: secretChars });
  expect(await call("take", { data: tokens.slice(1) })).toMatchObject({ value: { chars: 6_004 } });
});

test("A secret param in plaintext counts too", async () => {
  const error = await catchError(call("take", { password: "p".repeat(secretChars + 1) }));
  expect(error).toMatchObject({ code: "invalid_params", detail: { budget: "secretChars" } });
});

test("Calls of one user that wait hold their characters together, until they end", async () => {
  const [first, second] = [seal("c".repeat(6_000)), seal("d".repeat(6_000))];
  const waiting = call("wait", { data: [first] });
  await arrived.promise;
  const error = await catchError(call("take", { data: [second] }));
  expect(error.code).toBe("rate_limited");
  expect(error.detail).toMatchObject({ budget: "secretChars", retry_after_s: 5 });
  release.resolve();
  await waiting;
  expect(await call("take", { data: [second] })).toMatchObject({ value: { chars: 6_004 } });
});

test("What a call holds is free when its client has left, also if the connector goes on", async () => {
  const leaving = new AbortController();
  const waiting = catchError(call("wait", { data: [seal("e".repeat(6_000))] }, leaving.signal));
  await arrived.promise;
  leaving.abort();
  expect((await waiting).code).toBe("cancelled");
  const next = await call("take", { data: [seal("f".repeat(6_000))] });
  expect(next).toMatchObject({ value: { chars: 6_004 } });
  release.resolve();
});

test("If a connector names a value that is too long, the answer is left out (trap 1)", async () => {
  const { text } = await call("name", { chars: secretChars + 1 });
  expect(text).toContain("is left out");
  expect(await call("name", { chars: secretChars - 1 })).toMatchObject({ value: "the answer" });
});
