import { describe, expect, test } from "bun:test";
import { toJsonText } from "@hub/connector";
import type { Invocation, RegisteredConnector } from "../connectors/connector-port.ts";
import { describeFailures } from "./plugin-failures.testsuite.ts";
import { describeRequests } from "./plugin-requests.testsuite.ts";
import { findFailure } from "./testing/find-failure.ts";
import { readResult } from "./testing/read-call-result.ts";
import { createTestCall } from "./testing/test-call.ts";

/**
 * The behaviour that the fixture connector must have in every way to run it: compiled in, or in a
 * plugin's process.
 */
export function describeConnector(place: string, find: () => RegisteredConnector): void {
  const invoke = async (operation: string, params: Invocation["params"] = {}) => {
    const { call, received } = createTestCall({ operation, params });
    return { result: readResult(await find().invoke(call)), received };
  };

  describe(`the fixture connector ${place}`, () => {
    test("The connector describes itself and its operations", () => {
      const { key, name, icon, description, operations, configFields } = find();
      expect({ key, name, icon, description }).toEqual({
        key: "fixture",
        name: "Fixture",
        icon: "flask",
        description: "Does what a test asks for.",
      });
      expect([...operations.keys()]).toContain("echo");
      expect(operations.get("sweep")).toMatchObject({
        adminOnly: true,
        destructive: true,
        timeoutMs: 5000,
      });
      expect(configFields.map((field) => field.key)).toEqual([
        "base_url",
        "api_token",
        "mode",
        "retries",
        "ratio",
        "strict",
        "headers",
        "projects",
        "extra",
        "footer",
      ]);
    });

    test("Params and configuration have their types and field names", async () => {
      const { result } = await invoke("echo", {
        text: "naïve ✓",
        count: 12345678901234567890n,
        ratio: 0.25,
        flag: false,
        rows: [{ name: "a", value: "1" }],
        any: { deep: [1, "two", null] },
      });
      expect(result).toMatchObject({
        config: { BaseURL: "https://fixture.test", APIToken: "token-of-the-row", Strict: true },
        params: { Text: "naïve ✓", Ratio: 0.25, Flag: false, Any: { deep: [1, "two", null] } },
        types: { Count: "bigint", Flag: "boolean", Rows: "object" },
      });
      expect(toJsonText(result)).toContain('"Count":12345678901234567890');
    });

    test("An idempotent operation gets the key of its repetitions", async () => {
      expect(find().operations.get("keyed")).toMatchObject({ idempotent: true });
      expect(find().operations.get("sweep")).not.toHaveProperty("idempotent");
      const { call } = createTestCall({ operation: "keyed", idempotencyKey: "run:node:0" });
      expect(readResult(await find().invoke(call))).toEqual({ idempotencyKey: "run:node:0" });
      expect((await invoke("keyed")).result).toEqual({ idempotencyKey: null });
    });

    test("Fields without a value are omitted", async () => {
      const { result } = await invoke("echo", { text: "x" });
      expect(result).toMatchObject({ params: { Text: "x" }, types: { Text: "string" } });
      expect(toJsonText(result)).not.toContain("Count");
    });

    const values: [string, string][] = [
      ["undefined", "null"],
      ["null", "null"],
      ["text", JSON.stringify("naïve — “text” \u2028 😀")],
      ["bigint", '{"big":12345678901234567890,"list":[1]}'],
      ["nan", "[null,null,null]"],
      ["date", '{"at":"1970-01-01T00:00:00.000Z"}'],
      ["buffer", '{"type":"Buffer","data":[97,98,99]}'],
      ["other", "false"],
    ];
    for (const [which, json] of values) {
      test(`The result ${which} is returned as its JSON`, async () => {
        const { result } = await invoke("values", { which });
        expect(toJsonText(result)).toBe(json);
      });
    }

    test("Progress, secrets and log lines arrive during the call, secrets first", async () => {
      const { result, received } = await invoke("report", { steps: 2 });
      expect(result).toEqual({ told: "named-secret", shouted: "FOLDED-SECRET" });
      expect(received).toEqual([
        ["mask", "named-secret"],
        ["maskIgnoreCase", "Folded-Secret"],
        ["progress", 1.5, 2, "step 1 named-secret"],
        ["progress", 2.5, 2, "step 2 named-secret"],
        ["progress", 2],
        ["info", "It is done with named-secret", { token: "token-of-the-row" }],
      ]);
    });

    describeFailures(find);
    describeRequests(find);

    test("The health check returns a masked reason", async () => {
      const good = createTestCall({});
      expect(await find().health?.(good.call)).toEqual({ ok: true });
      expect(good.received).toEqual([["mask", "health-secret"]]);
      const bad = createTestCall({ config: { base_url: "https://broken.test" } });
      expect(await find().health?.(bad.call)).toEqual({
        ok: false,
        reason: "It does not answer; it said health-secret.",
      });
    });

    test("A look-up returns the items of a picker", async () => {
      const { call } = createTestCall({});
      const items = await find().lookup?.({ ...call, source: "projects", query: "al" });
      expect(items).toEqual([{ id: "alpha", name: "projects alpha fast" }]);
    });

    test("A generator returns a value of its field", async () => {
      expect(await find().generate?.("api_token")).toStartWith("generated-");
      expect(await findFailure(find().generate?.("base_url"))).toMatchObject({
        message: '"fixture" has no generator for "base_url".',
      });
    });

    test("A widget operation runs while configuration is missing", async () => {
      const { call } = createTestCall({ operation: "widget", config: {} });
      expect(await find().invoke(call)).toEqual({ html: "<b>unset</b>" });
    });

    test("A widget operation gets the named elements of its widget", async () => {
      const inputs = { town: "Graz", sure: "on", "a b": "", constructor: "x" };
      const { call } = createTestCall({ operation: "collect", widget: { inputs } });
      expect(await find().invoke(call)).toEqual({ input: inputs, has: true });
      const { call: plain } = createTestCall({ operation: "collect" });
      expect(await find().invoke(plain)).toEqual({ input: {}, has: false });
    });

    test("An unknown operation is refused", async () => {
      expect(await findFailure(invoke("echoo"))).toMatchObject({
        message: '"fixture" has no operation "echoo". Did you mean "echo"?',
      });
    });

    test("A large result arrives complete", async () => {
      const { result } = await invoke("large", { chars: 3_000_000 });
      expect(String(result).length).toBe(3_000_000);
    });
  });
}
