import { expect, test } from "bun:test";
import { createAddressBudget } from "./address-budget.ts";
import { openTestApp } from "./testing/open-test-app.ts";

const localPage = { host: "localhost:7420", accept: "text/html" };

test("an address that asks too fast is told to wait, as a page", async () => {
  const { app } = openTestApp();
  const ask = () => app.request("http://localhost:7420/auth/sso", { headers: localPage });
  for (let asked = 0; asked < 120; asked += 1) expect((await ask()).status).toBe(404);
  const refused = await ask();
  expect([refused.status, await refused.text()]).toEqual([
    429,
    expect.stringContaining("Try again in a minute"),
  ]);
});

test("an address gets its requests back evenly, and no other is slowed by it", () => {
  let at = 0;
  const budget = createAddressBudget({ perMinute: 2, now: () => at });
  expect([1, 2, 3].map(() => budget.take("192.0.2.1"))).toEqual([true, true, false]);
  expect(budget.take("192.0.2.2")).toBeTrue();
  at += 30_000;
  expect([1, 2].map(() => budget.take("192.0.2.1"))).toEqual([true, false]);
});

test("a line with many addresses of version 6 is one address", () => {
  const budget = createAddressBudget({ perMinute: 1, now: () => 0 });
  expect(budget.take("2001:db8::1")).toBeTrue();
  expect(budget.take("2001:db8::2")).toBeFalse();
  expect(budget.take("2001:db8:0:1::2")).toBeTrue();
});

test("a clock that is set back keeps no address waiting for it", () => {
  let at = 3_600_000;
  const budget = createAddressBudget({ perMinute: 1, now: () => at });
  expect([1, 2].map(() => budget.take("192.0.2.1"))).toEqual([true, false]);
  at = 0;
  expect(budget.take("192.0.2.1")).toBeFalse();
  at += 60_000;
  expect(budget.take("192.0.2.1")).toBeTrue();
});
