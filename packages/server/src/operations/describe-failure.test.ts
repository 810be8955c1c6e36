import { expect, test } from "bun:test";
import { InvalidInputError, OutboundError, UpstreamError } from "@hub/connector";
import { HubError } from "../errors.ts";
import { toConnectorFailure } from "./describe-failure.ts";

const cyclic: Record<string, unknown> = {};
cyclic.self = cyclic;

test.each<[string, object, Record<string, unknown>]>([
  [
    "with a status and a body",
    { httpStatus: 404, body: { a: 1 } },
    { http_status: 404, upstream: { a: 1 } },
  ],
  ["with neither", {}, {}],
  ["with a status that is none", { httpStatus: Number.NaN }, {}],
  ["with a body that is null", { body: null }, { upstream: null }],
  [
    "with a body that cannot be written",
    { body: cyclic },
    { upstream: expect.stringContaining("cyclic") },
  ],
])("a failure of the outside %s tells what there is", (_, options, detail) => {
  const thrown = new UpstreamError("The host refused.", options);
  const failure = toConnectorFailure(thrown);
  expect(failure).toMatchObject({ code: "upstream_error", message: "The host refused." });
  expect(failure.detail).toEqual(detail);
  expect(failure.cause).toBe(thrown);
});

test.each<[string, unknown, string, string]>([
  ["a refusal of the hub's own", new HubError("conflict", "No."), "conflict", "No."],
  ["a fault of the input", new InvalidInputError("how", "is odd"), "invalid_params", "how is odd"],
  [
    "a request without an answer in time",
    new OutboundError("timeout", "Too slow."),
    "timeout",
    "Too slow.",
  ],
  [
    "a request that was not let out",
    new OutboundError("blocked", "Not there."),
    "upstream_error",
    "Not there.",
  ],
  [
    "an error of the connector's words",
    new Error("No such issue."),
    "upstream_error",
    "No such issue.",
  ],
  ["an error without words", new Error(""), "upstream_error", "The operation failed."],
])("%s keeps its meaning", (_, thrown, code, words) => {
  const failure = toConnectorFailure(thrown);
  expect(failure.code).toBe(code as HubError["code"]);
  expect(failure.message).toContain(words);
});

test.each([
  ["a fault of its code", new TypeError("x is not a function")],
  [
    "a missing file",
    Object.assign(new Error("open /srv/x"), { code: "ENOENT", syscall: "open", path: "/srv/x" }),
  ],
  ["what is no error", "some text"],
])("%s is internal, and its words are for the log alone", (_, thrown) => {
  const failure = toConnectorFailure(thrown);
  expect(failure.code).toBe("internal");
  expect(failure.message).not.toMatch(/function|srv|some text/);
});
