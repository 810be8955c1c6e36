import { describe, expect, test } from "bun:test";
import { parseJson, toJsonText } from "@hub/connector";
import { mapJson } from "./map-json.ts";

const shout = { mapText: (text: string) => text.toUpperCase() };
const rename = { ...shout, mapKey: (key: string) => key.replace(/^secret.*/, "token") };

describe("mapJson", () => {
  test("Strings are mapped at any depth, and nothing else", () => {
    const value = { a: ["b", { c: "d" }], n: 1, big: 2n, yes: true, no: null };
    expect(mapJson(value, shout)).toEqual({
      a: ["B", { c: "D" }],
      n: 1,
      big: 2n,
      yes: true,
      no: null,
    });
    expect(value.a[0]).toBe("b");
  });

  test("Unchanged parts keep their identity", () => {
    const same = { deep: [1, Number.NaN, -0, "UP"], more: { x: null } };
    expect(mapJson(same, shout)).toBe(same);
    const mapped = mapJson([same, "down", same], shout);
    expect(mapped).toEqual([same, "DOWN", same]);
    expect(Reflect.get(Object(mapped), 0)).toBe(same);
  });

  test("A __proto__ key stays a normal key", () => {
    const value = parseJson('{"__proto__": "low", "a": {"__proto__": {"polluted": "x"}}}');
    const mapped = mapJson(value, shout);
    expect(toJsonText(mapped)).toBe('{"__proto__":"LOW","a":{"__proto__":{"polluted":"X"}}}');
    expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype);
  });

  test("Thousands of keys that become equal each look for a free name a few times", () => {
    const members = Array.from({ length: 2_000 }, (_, at) => [`secret-${at}`, at]);
    let lookUps = 0;
    const value = new Proxy(Object.fromEntries([...members, ["token-5", "own"]]), {
      getOwnPropertyDescriptor(target, name) {
        lookUps += 1;
        return Object.getOwnPropertyDescriptor(target, name);
      },
    });
    const mapped = Object(mapJson(value, rename));
    expect(Object.keys(mapped)).toHaveLength(2_001);
    expect([mapped.token, mapped["token-2"], mapped["token-5"]]).toEqual([0, 1, "OWN"]);
    expect(lookUps).toBeLessThan(10_000);
  });

  test("An object without a prototype is mapped", () => {
    const bare = Object.assign(Object.create(null), { a: "x" });
    expect(toJsonText(mapJson(bare, shout))).toBe('{"a":"X"}');
  });

  test("If two keys become equal, no member is lost", () => {
    const value = { secret1: 1, token: 2, secret2: 3, "token-2": 4 };
    expect(mapJson(value, rename)).toEqual({ "token-3": 1, token: 2, "token-4": 3, "token-2": 4 });
  });

  test("Members keep their order", () => {
    expect(toJsonText(mapJson({ a: 1, secret: 2, c: "x" }, rename))).toBe(
      '{"a":1,"token":2,"c":"X"}',
    );
  });

  test("Numbers of every type are passed with their digits", () => {
    const seen: string[] = [];
    const value = parseJson("[1, -2.5, 12345678901234567890, 1e400]");
    mapJson([value, 7n, Number.NaN, Number.POSITIVE_INFINITY], {
      ...shout,
      mapNumber(number, digits) {
        seen.push(digits);
        return number;
      },
    });
    expect(seen).toEqual(["1", "-2.5", "12345678901234567890", "1e400", "7"]);
  });

  test("Objects with their own JSON form are mapped in that form", () => {
    const url = new URL("https://host/?q=x");
    const day = new Date(0);
    expect(mapJson({ url, day, boxed: new String("x") }, shout)).toEqual({
      url: "HTTPS://HOST/?Q=X",
      day: "1970-01-01T00:00:00.000Z",
      boxed: "X",
    });
    expect(mapJson(JSON.rawJSON('"x"'), shout)).toBe("X");
    expect(toJsonText(mapJson([JSON.rawJSON("true"), JSON.rawJSON("null")], shout))).toBe(
      "[true,null]",
    );
  });

  test("A cyclic or too deeply nested value is refused with a clear message", () => {
    const loop: Record<string, unknown> = {};
    loop.left = [loop];
    loop.right = loop;
    expect(() => mapJson(loop, shout)).toThrow("cyclic or nested deeper than 512");
    expect(() => mapJson(nest(513), shout)).toThrow("nested deeper than 512");
    expect(() => mapJson(nest(100_000), shout)).toThrow("nested deeper than 512");
    expect(toJsonText(mapJson(nest(512), shout))).toBe(`${"[".repeat(512)}"X"${"]".repeat(512)}`);
  });

  test("Consecutive bytes in arrays are passed together and stay unless they are replaced", () => {
    const runs: number[][] = [];
    const mapper = {
      ...shout,
      mapNumber: (number: unknown) => number,
      mapBytes: (bytes: readonly number[]) => {
        runs.push([...bytes]);
        return bytes[0] === 1 ? [1, "three bytes"] : null;
      },
    };
    const other = [7, 8, 9, 255];
    const value = { data: [1, 2, 3, 4, "end", 5, 6, 256, 0.5, 1], other };
    expect(mapJson(value, mapper)).toEqual({
      data: [1, "three bytes", "END", 5, 6, 256, 0.5, 1],
      other,
    });
    expect(runs).toEqual([[1, 2, 3, 4], other]);
    expect(mapJson(other, mapper)).toBe(other);
  });
});

function nest(levels: number): unknown {
  let value: unknown = "x";
  for (let level = 0; level < levels; level += 1) value = [value];
  return value;
}
