import { expect, test } from "bun:test";
import { InvalidInputError, OutboundError, SetupError, UpstreamError } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { toConnectorFailure } from "./describe-failure.ts";

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

test.each<[string, object, Record<string, unknown>]>([
  [
    "a status and a body",
    { httpStatus: 404, body: { a: 1 } },
    { http_status: 404, upstream: { a: 1 } },
  ],
  ["neither status nor body", {}, {}],
  ["an invalid status", { httpStatus: Number.NaN }, {}],
  ["a status beyond every integer type", { httpStatus: 1e20 }, {}],
  ["a body that is null", { body: null }, { upstream: null }],
  [
    "a body that cannot be written as JSON",
    { body: cyclic },
    { upstream: expect.stringContaining("cyclic") },
  ],
])("A failure of an outside system with %s reports every known detail", (_, options, detail) => {
  const thrown = new UpstreamError("The host refused.", options);
  const failure = toConnectorFailure(thrown);
  expect(failure).toMatchObject({ code: "upstream_error", message: "The host refused." });
  expect(failure.detail).toEqual(detail);
  expect(failure.cause).toBe(thrown);
});

test.each<[string, unknown, string, string]>([
  ["an error of the hub", new HubError("conflict", "No."), "conflict", "No."],
  ["an invalid input", new InvalidInputError("how", "is odd"), "invalid_params", "how is odd"],
  [
    "a request without an answer in time",
    new OutboundError("timeout", "Too slow."),
    "timeout",
    "Too slow.",
  ],
  ["a blocked request", new OutboundError("blocked", "Not there."), "upstream_error", "Not there."],
  [
    "an error with a message of the connector",
    new Error("No such issue."),
    "upstream_error",
    "No such issue.",
  ],
  [
    "an invalid configuration",
    new SetupError("token is odd"),
    "upstream_error",
    "This row's configuration is invalid: token is odd.",
  ],
  ["an error without a message", new Error(""), "upstream_error", "The operation failed."],
])("The failure of %s has the right code and message", (_, thrown, code, message) => {
  const failure = toConnectorFailure(thrown);
  expect(failure.code).toBe(code as HubError["code"]);
  expect(failure.message).toContain(message);
});

test.each([
  ["a bug in the connector's code", new TypeError("x is not a function")],
  [
    "a missing file of the hub",
    Object.assign(new Error("open /srv/x"), { code: "ENOENT", syscall: "open", path: "/srv/x" }),
  ],
  ["a thrown text", "some text"],
])("The failure of %s is internal, and its message goes to the log only", (_, thrown) => {
  const failure = toConnectorFailure(thrown);
  expect(failure.code).toBe("internal");
  expect(failure.message).not.toMatch(/function|srv|some text/);
});
