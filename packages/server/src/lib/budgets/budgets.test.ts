import { expect, test } from "bun:test";
import { join } from "node:path";
import { HubError } from "../../errors.ts";
import { budgetTable, defaultBudgetLimits } from "./budget-table.ts";
import { createBudgets } from "./budgets.ts";

const limits = { secretChars: 100, memoryBytes: 1_000 };

function catchError(run: () => void): HubError {
  try {
    run();
  } catch (thrown) {
    if (thrown instanceof HubError) return thrown;
    throw thrown;
  }
  throw new Error("Nothing was thrown");
}

test("A request that alone exceeds a budget is refused as invalid", () => {
  const budget = createBudgets({ limits }).open("ann");
  budget.addSecretChars(60);
  const error = catchError(() => budget.addSecretChars(41));
  expect(error.code).toBe("invalid_params");
  expect(error.detail).toEqual({ budget: "secretChars", limit: 100 });
});

test("Requests of one owner share what is held at once, and other owners have their own", () => {
  const budgets = createBudgets({ limits });
  budgets.open("ann").holdBytes(900);
  const second = budgets.open("ann");
  const error = catchError(() => second.holdBytes(101));
  expect(error.code).toBe("rate_limited");
  expect(error.detail).toEqual({ budget: "memoryBytes", limit: 1_000, retry_after_s: 5 });
  expect(error.message).toContain("HUB_BUDGET_MEMORY_BYTES");
  budgets.open("bob").holdBytes(1_000);
  second.holdBytes(100);
});

test("A refused amount is not held", () => {
  const budgets = createBudgets({ limits });
  const budget = budgets.open("ann");
  catchError(() => budget.holdBytes(1_001));
  expect(budgets.read("ann").memoryBytes).toBe(0);
});

test("What a request held is free when it ends, once, and a late charge counts nothing", () => {
  const budgets = createBudgets({ limits });
  const [first, second] = [budgets.open("ann"), budgets.open("ann")];
  first.holdBytes(600);
  first.addSecretChars(50);
  second.holdBytes(300);
  first.close();
  first.close();
  first.holdBytes(900);
  expect(budgets.read("ann")).toEqual({ secretChars: 0, memoryBytes: 300 });
  second.close();
  expect(budgets.read("ann").memoryBytes).toBe(0);
});

test("An honest day needs less than a tenth of each default", () => {
  // 32 calls at once, each with a PEM key; twenty calls of 300 KB at once.
  expect(32 * 4_000).toBeLessThan(defaultBudgetLimits.secretChars / 10);
  expect(20 * 300_000 * 4).toBeLessThan(defaultBudgetLimits.memoryBytes / 10);
});

test("The reference has a table row for every budget, with its default and range", async () => {
  const path = join(import.meta.dirname, "../../../../../docs/reference/budgets.md");
  const text = await Bun.file(path).text();
  const of = {
    owner: "the running requests of an owner",
    sender: "the bodies of a sender",
    hour: "a user at a row, per hour",
  };
  const specs = Object.values(budgetTable);
  const rows = text.match(/^\| `HUB_.*$/gm) ?? [];
  expect([...rows]).toEqual(
    specs.map(
      ({ setting, unit, scope, min, max, default: fallback }) =>
        `| \`${setting}\` | ${unit} | ${of[scope]} | ${fallback} | ${min} to ${max} |`,
    ),
  );
});
