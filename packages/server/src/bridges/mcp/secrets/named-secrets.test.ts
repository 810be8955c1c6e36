// biome-ignore-all lint/suspicious/noTemplateCurlyInString: rows name secrets by such texts.
import { expect, test } from "bun:test";
import { fillIn, fillInAddress, readNamedSecrets } from "./named-secrets.ts";

test("A text names secrets, whose values are not read again", () => {
  const secrets = readNamedSecrets("A=x$&y\nB=${A}");
  expect(fillIn(secrets, "1 ${A} ${B} $A")).toBe("1 x$&y ${A} $A");
});

test("In an address values are escaped, and none chooses the host", () => {
  const secrets = readNamedSecrets('{"KEY":"a/b?&=#","HOST":"evil.test"}');
  expect(fillInAddress(secrets, "https://a.test/${KEY}/mcp?k=${KEY}")).toBe(
    "https://a.test/a%2Fb%3F%26%3D%23/mcp?k=a%2Fb%3F%26%3D%23",
  );
  expect(fillInAddress(secrets, "https://${HOST}/mcp")).toBe("https://${HOST}/mcp");
});

test("Without the field, texts stay as they are; with it, a name needs a value", () => {
  expect(fillIn(readNamedSecrets(undefined), "${A}")).toBe("${A}");
  expect(() => fillIn(readNamedSecrets('{"A":""}'), "${A}")).toThrow("no value for A");
  expect(() => readNamedSecrets("s3cret")).toThrow('has a line without "="');
  expect(() => readNamedSecrets("s3cret")).not.toThrow("s3cret");
});
