import { expect, test } from "bun:test";
import { InvalidInputError, OutboundError, toJsonText, UpstreamError } from "@hub/connector";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import { toPlainJson } from "../lib/json/plain-json.ts";
import { findFailure } from "./testing/find-failure.ts";
import { readResult } from "./testing/read-call-result.ts";
import { createTestCall } from "./testing/test-call.ts";

/** How the errors of the fixture connector arrive. */
export function describeFailures(find: () => RegisteredConnector): void {
  const failure = (how: string) => {
    const { call } = createTestCall({ operation: "fail", params: { how } });
    return findFailure(find().invoke(call).then(readResult));
  };

  test("The answer of the outside system is passed on with its failure", async () => {
    const thrown = await failure("upstream");
    expect(thrown).toBeInstanceOf(UpstreamError);
    expect(thrown).toMatchObject({
      message: "The host answered 404.",
      httpStatus: 404,
      retryAfterS: 1.5,
    });
    const { body } = thrown as UpstreamError;
    expect(toJsonText(toPlainJson(body))).toBe(
      '{"message":"no such issue","big":12345678901234567890}',
    );
  });

  test("The message of the connector's error is passed on", async () => {
    expect(await failure("plain")).toMatchObject({
      name: "Error",
      message: "There is no such issue; named-secret says so.",
    });
  });

  test("The input that the connector refuses is named", async () => {
    const thrown = await failure("input");
    expect(thrown).toBeInstanceOf(InvalidInputError);
    expect(thrown).toMatchObject({
      message: "how must not say named-secret.",
      issues: [{ path: "how", message: "must not say named-secret" }],
    });
    expect(await failure("inputs")).toMatchObject({
      issues: [
        { path: "how", message: "is of the past" },
        { path: "", message: "Give one thing or the other." },
      ],
    });
  });

  test("The refusal of the guarded fetch is passed on", async () => {
    expect(await failure("outbound")).toMatchObject({ code: "blocked", isUnsent: false });
    expect(await failure("unsent")).toMatchObject({ code: "network", isUnsent: true });
    const timeout = await failure("outbound-timeout");
    expect(timeout).toBeInstanceOf(OutboundError);
    expect(timeout).toMatchObject({ code: "timeout", message: "It took too long." });
  });

  test("A fault in the connector's code is not reported as a failure of the outside system", async () => {
    expect(await failure("bug")).toBeInstanceOf(TypeError);
    const text = await failure("text");
    expect(text === "a text" || text instanceof TypeError).toBe(true);
  });

  test("A result that cannot be JSON fails the call", async () => {
    expect(await failure("cyclic")).toMatchObject({ code: "upstream_error" });
    expect(await failure("json")).toMatchObject({ message: "It cannot be told." });
  });
}
