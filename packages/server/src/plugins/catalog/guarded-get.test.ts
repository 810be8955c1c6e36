import { expect, test } from "bun:test";
import { OutboundError } from "@hub/connector";
import { toDownloadError } from "./guarded-get.ts";

test.each([
  "blocked",
  "bad_url",
  "body_too_large",
] as const)("A forbidden download is refused with what to do: %s", (code) => {
  expect(toDownloadError("tracker", new OutboundError(code, "No."))).toMatchObject({
    code: "plugin_refused",
    detail: { check: "download" },
  });
});

test.each([
  "dns",
  "network",
  "timeout",
] as const)("An incomplete download can be tried again: %s", (code) => {
  const thrown = new OutboundError(code, "It does not answer.");
  const failure = toDownloadError("tracker", thrown);
  expect(failure).toMatchObject({ code: "upstream_error", message: "It does not answer." });
  expect(Object(failure).cause).toBe(thrown);
});

test("Other failures are not changed", () => {
  const thrown = new Error("disk full");
  expect(toDownloadError("tracker", thrown)).toBe(thrown);
});
