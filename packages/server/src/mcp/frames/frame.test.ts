import { describe, expect, test } from "bun:test";
import { toJsonText } from "@hub/connector";
import { readFrame } from "./frame.ts";

function refusal(text: string) {
  const frame = readFrame(text);
  return frame.kind === "refused" ? [frame.error.code, frame.id] : frame;
}

describe("readFrame", () => {
  test("A request's id is read as JSON text", () => {
    expect(readFrame('{"jsonrpc":"2.0","id":"a\\"b","method":"ping"}')).toEqual({
      kind: "request",
      id: '"a\\"b"',
      method: "ping",
      params: {},
      chars: 45,
    });
  });

  test("A numeric id and numbers in params keep every digit", () => {
    const frame = readFrame(
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"x","params":{"n":0.10000000000000000001}}',
    );
    expect(frame).toMatchObject({ kind: "request", id: "12345678901234567890" });
    expect(toJsonText("params" in frame && frame.params)).toBe('{"n":0.10000000000000000001}');
  });

  test("A message without an id is a notification", () => {
    expect(readFrame('{"jsonrpc":"2.0","method":"notifications/initialized"}')).toMatchObject({
      kind: "notification",
      method: "notifications/initialized",
    });
  });

  test("Results and errors from the client are responses", () => {
    const ofOne = { kind: "response", id: "1" };
    expect<unknown>(readFrame('{"jsonrpc":"2.0","id":1,"result":{"a":2}}')).toEqual({
      ...ofOne,
      result: { a: 2 },
    });
    expect<unknown>(readFrame('{"jsonrpc":"2.0","id":1,"error":{}}')).toEqual({
      ...ofOne,
      result: null,
    });
    expect(readFrame('{"jsonrpc":"2.0","id":[1],"result":{}}')).toMatchObject({ id: null });
  });

  test("Invalid JSON is a parse error without an id", () => {
    for (const text of ["", "{", "not json", '{"jsonrpc":"2.0",}', "\u0000"]) {
      expect(refusal(text)).toEqual(["parse_error", "null"]);
    }
  });

  test("A batch is refused, even an empty one, and the error says what to send instead", () => {
    expect(readFrame("[]")).toMatchObject({
      kind: "refused",
      id: "null",
      error: { code: "invalid_request", message: expect.stringContaining("one message at a time") },
    });
    expect(refusal('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).toEqual([
      "invalid_request",
      "null",
    ]);
  });

  test("JSON that is not an object is refused, also a number of many digits", () => {
    for (const text of ["1", '"text"', "null", "true", "123456789012345678901234567890"]) {
      expect(refusal(text)).toEqual(["invalid_request", "null"]);
    }
  });

  test("A wrong version or method is refused with the request's id", () => {
    expect(refusal('{"jsonrpc":"1.0","id":7,"method":"ping"}')).toEqual(["invalid_request", "7"]);
    expect(refusal('{"id":"seven","method":"ping"}')).toEqual(["invalid_request", '"seven"']);
    expect(refusal('{"jsonrpc":"2.0","id":7,"method":5}')).toEqual(["invalid_request", "7"]);
    expect(refusal('{"jsonrpc":"2.0","id":7}')).toEqual(["invalid_request", "7"]);
  });

  test("Ids of 256 characters are accepted", () => {
    for (const id of ["9".repeat(256), JSON.stringify("x".repeat(256))]) {
      const frame = readFrame(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      expect(frame).toMatchObject({ kind: "request", id });
    }
  });

  test("Longer ids and ids of other types are refused", () => {
    const long = ["9".repeat(257), JSON.stringify("x".repeat(257))];
    for (const id of ["null", "true", "{}", "[1]", ...long]) {
      const text = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
      expect(refusal(text)).toEqual(["invalid_request", "null"]);
    }
  });

  test("Params that are not an object are read as null, for the method to refuse", () => {
    for (const params of ["[1]", "null", '"a"', "5", "123456789012345678901"]) {
      const text = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${params}}`;
      expect(readFrame(text)).toMatchObject({ kind: "request", params: null });
    }
  });

  test("64 levels of nesting are accepted and 65 are refused with the request's id", () => {
    const nest = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(levels - 1)}1${"}".repeat(levels - 1)}}`;
    expect(readFrame(nest(64))).toMatchObject({ kind: "request" });
    expect(refusal(nest(65))).toEqual(["invalid_request", "1"]);
    for (const id of ["1e400", "12345678901234567890", "0.10000000000000000000001"]) {
      const text = nest(65).replace('"id":1', `"id":${id}`);
      expect(refusal(text)).toEqual(["invalid_request", "null"]);
    }
  });

  test("A million levels of nesting are refused, well-formed or not, also with long numbers", () => {
    const open = '{"a":'.repeat(1_000_000);
    const close = "}".repeat(1_000_000);
    expect(refusal(`${open}12345678901234567890${close}`)).toEqual(["invalid_request", "null"]);
    expect(refusal(open)).toEqual(["invalid_request", "null"]);
    // Nested too deeply and long: it is refused before anything parses it.
    expect(refusal("[".repeat(1_000_000))).toEqual(["invalid_request", "null"]);
  });

  test("A __proto__ key is data and changes no prototype", () => {
    const frame = readFrame(
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"name":"x"},"n":12345678901234567890}}',
    );
    const params = frame.kind === "request" ? frame.params : null;
    expect(Object.keys(params ?? {})).toEqual(["__proto__", "n"]);
    expect(params?.name).toBeUndefined();
    expect({}).not.toHaveProperty("name");
  });
});
