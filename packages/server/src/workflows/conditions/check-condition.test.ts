import { describe, expect, spyOn, test } from "bun:test";
import { parseJson } from "@hub/connector";
import {
  type ConditionOperator,
  conditionOperatorSchema,
} from "@hub/contract/workflow-condition.ts";
import fc from "fast-check";
import { checkCondition, checkConditions, findCase } from "./check-condition.ts";

const check = (left: unknown, op: ConditionOperator, right?: unknown) =>
  checkCondition({ left, op, right });

/** Expects that the operator holds for each of the pairs. */
function expectHolds(op: ConditionOperator, isHolding: boolean, pairs: [unknown, unknown][]): void {
  for (const [left, right] of pairs) {
    expect({ left, op, right, holds: check(left, op, right) }).toEqual({
      left,
      op,
      right,
      holds: isHolding,
    });
  }
}

describe("checkCondition", () => {
  test("Values are equal if they are the same JSON value", () => {
    expectHolds("eq", true, [
      ["a", "a"],
      [null, null],
      [1, 1.0],
      [
        [1, { a: 2, b: 3 }],
        [1, { b: 3, a: 2 }],
      ],
    ]);
    expectHolds("eq", false, [
      ["a", "A"],
      ["", null],
      [0, null],
      [false, null],
      [[1], [1, 2]],
      [[1], 1],
      [{ a: 1 }, { a: 1, b: 2 }],
      [{ a: undefined }, { b: undefined }],
      [{}, []],
    ]);
  });

  test("A number equals the text of the same number, and a boolean its text", () => {
    expectHolds("eq", true, [
      [42, "42"],
      ["1.50", 1.5],
      ["1e3", 1000],
      [true, "true"],
      ["false", false],
      [{ n: 1 }, { n: "1" }],
    ]);
    expectHolds("eq", false, [
      [42, " 42"],
      [42, "0x2a"],
      [7, "007"],
      [0, ""],
      [1, true],
      ["1", true],
      ["TRUE", true],
    ]);
  });

  test("Two texts are never equal as numbers, since ids may differ in zeros only", () => {
    expectHolds("eq", false, [
      ["1.0", "1"],
      ["007", "7"],
    ]);
  });

  test("Whole numbers of any size are compared with all their digits", () => {
    const left = parseJson("9007199254740993");
    expectHolds("eq", true, [[left, "9007199254740993"]]);
    expectHolds("eq", false, [
      [left, 9007199254740992],
      [left, "9007199254740992"],
    ]);
    expectHolds("gt", true, [[left, 9007199254740992]]);
  });

  test("ne holds exactly if eq does not", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
        expect(check(left, "ne", right)).toBe(!check(left, "eq", right));
        expect(check(left, "eq", structuredClone(left))).toBe(true);
      }),
    );
  });

  test("Numbers and texts that are numbers are ordered as numbers", () => {
    expectHolds("lt", true, [
      [9, 10],
      ["9", "10"],
      [9, "10"],
      [-1.5, "1e0"],
    ]);
    expectHolds("ge", true, [
      [10, 10],
      ["10", 9],
    ]);
    expectHolds("gt", false, [["9", "10"]]);
  });

  test("Other texts are ordered by their characters, so times in UTC are in order", () => {
    expectHolds("lt", true, [
      ["2026-01-31T00:00:00Z", "2026-02-01T00:00:00Z"],
      ["a", "b"],
      ["9", "a"],
    ]);
    expectHolds("le", true, [["a", "a"]]);
  });

  test("Values without an order hold for no ordering operator", () => {
    const pairs: [unknown, unknown][] = [
      [null, 0],
      [null, null],
      [1, "a"],
      [true, false],
      [[1], [2]],
      [{}, {}],
    ];
    for (const op of ["lt", "le", "gt", "ge"] as const) expectHolds(op, false, pairs);
  });

  test("contains looks into texts, lists and objects, and in is its reverse", () => {
    const pairs: [unknown, unknown][] = [
      ["abc", "bc"],
      ["abc", ""],
      [12345, 234],
      [[1, "a", { b: 1 }], { b: 1 }],
      [["1"], 1],
      [{ a: 1 }, "a"],
    ];
    expectHolds("contains", true, pairs);
    expectHolds(
      "in",
      true,
      pairs.map(([whole, part]) => [part, whole]),
    );
    const others: [unknown, unknown][] = [
      ["abc", "B"],
      [[["a"]], "a"],
      [{ a: 1 }, "toString"],
      [null, "a"],
      ["null", null],
      ["[1]", [1]],
    ];
    expectHolds("contains", false, others);
    expectHolds(
      "in",
      false,
      others.map(([whole, part]) => [part, whole]),
    );
  });

  test("contains searches long texts without the engine, which is slow for repetitive ones", () => {
    const text = "a".repeat(2000);
    const part = `${"a".repeat(500)}b${"a".repeat(400)}`;
    const spies = [spyOn(String.prototype, "includes"), spyOn(String.prototype, "indexOf")];
    try {
      expect(check(text, "contains", part)).toBe(false);
      expect(check(part, "in", text)).toBe(false);
      expect(check(text + part, "contains", part)).toBe(true);
      const given = spies.flatMap(({ mock }) =>
        mock.calls.map(([wanted]) => String(wanted).length),
      );
      expect(Math.max(...given)).toBeLessThan(100);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  });

  test("contains reads a long number once, however many items the list has", () => {
    const read = spyOn(globalThis, "BigInt");
    try {
      const list = Array.from({ length: 1000 }, (_, at) => at);
      expect(check(list, "contains", "9".repeat(400))).toBe(false);
      expect(check([...list, parseJson("9".repeat(400))], "contains", "9".repeat(400))).toBe(true);
      expect(read.mock.calls.length).toBeLessThan(10);
    } finally {
      read.mockRestore();
    }
  });

  test("starts_with and ends_with compare texts, numbers and booleans as texts", () => {
    expectHolds("starts_with", true, [
      ["abc", "ab"],
      [1234, 12],
      [true, "tr"],
    ]);
    expectHolds("ends_with", true, [
      ["abc", "bc"],
      [1234, "34"],
    ]);
    expectHolds("starts_with", false, [
      [["a"], "a"],
      [null, "n"],
      ["abc", "b"],
    ]);
    expectHolds("ends_with", false, [["abc", "b"]]);
  });

  test("matches finds its pattern anywhere in a text, a number or a boolean", () => {
    expectHolds("matches", true, [
      ["an error", "err[o]r$"],
      [404, "^4\\d\\d$"],
      ["GRÜSSE", "(?i)grüsse"],
      [true, "ru"],
    ]);
    expectHolds("matches", false, [
      ["an error", "^error"],
      [null, ".*"],
      [["a"], "a"],
      [{}, ".*"],
    ]);
  });

  test("is_empty holds for null, empty texts, empty lists and empty objects", () => {
    for (const value of [null, "", [], {}]) {
      expect(check(value, "is_empty")).toBe(true);
      expect(check(value, "is_not_empty")).toBe(false);
    }
    for (const value of [0, false, " ", [null], { a: null }, parseJson("1e999")]) {
      expect(check(value, "is_empty")).toBe(false);
      expect(check(value, "is_not_empty")).toBe(true);
    }
  });

  test("is_true holds for true and its text only", () => {
    for (const value of [true, "true", "True", "TRUE"]) expect(check(value, "is_true")).toBe(true);
    for (const value of [false, null, 1, "1", "yes", "", [true], {}]) {
      expect(check(value, "is_true")).toBe(false);
    }
  });

  test("Every operator accepts any two values, except that a pattern must be a text", () => {
    const operators = conditionOperatorSchema.options.filter((op) => op !== "matches");
    fc.assert(
      fc.property(
        fc.constantFrom(...operators),
        fc.jsonValue(),
        fc.jsonValue(),
        (op, left, right) => typeof check(left, op, right) === "boolean",
      ),
    );
    expect(() => check("a", "matches", 1)).toThrow("The pattern of matches must be a text.");
  });

  test("Deep values do not exhaust the stack", () => {
    const deep = () => {
      let value: unknown = 1;
      for (let depth = 0; depth < 200_000; depth++) value = [value];
      return value;
    };
    expect(check(deep(), "eq", deep())).toBe(true);
  });
});

describe("checkConditions", () => {
  const yes = { left: 1, op: "eq", right: 1 } as const;
  const no = { left: 1, op: "eq", right: 2 } as const;

  test("`all` needs every condition, `any` needs one", async () => {
    expect(await checkConditions([yes, yes], "all")).toBe(true);
    expect(await checkConditions([yes, no], "all")).toBe(false);
    expect(await checkConditions([no, yes], "any")).toBe(true);
    expect(await checkConditions([no, no], "any")).toBe(false);
  });

  test("The first condition that decides is the last one that is checked", async () => {
    const wrong = { left: "a", op: "matches", right: "(" } as const;
    expect(await checkConditions([no, wrong], "all")).toBe(false);
    expect(await checkConditions([yes, wrong], "any")).toBe(true);
    await expect(checkConditions([yes, wrong], "all")).rejects.toThrow("The pattern is not valid");
  });
});

describe("findCase", () => {
  test("The first case that holds is found, and those after it are not tried", async () => {
    const cases = [
      { case: "small", op: "lt", right: 10 },
      { case: "ten", op: "eq", right: "10" },
      { case: "wrong", op: "matches", right: "(" },
    ] as const;
    expect(await findCase(10, cases)).toBe("ten");
    await expect(findCase(11, cases)).rejects.toThrow("The pattern is not valid");
    expect(await findCase(11, cases.slice(0, 2))).toBeNull();
    expect(await findCase(11, [])).toBeNull();
  });
});
