import { expect, test } from "bun:test";
import { hubTokenKinds } from "@hub/contract/hub-token-kinds.ts";
import { toLineDiff } from "./line-diff.ts";

test("Only changed lines are shown, with the number of the first", () => {
  expect(toLineDiff("a\nsecret\nc\n", "a\nsecret,\nnew\nc\n")).toBe(
    "@@ line 2 @@\n-secret\n+secret,\n+new",
  );
});

test.each([...hubTokenKinds])("Tokens of the hub of the kind %s are not shown", (kind) => {
  const token = `hub_${kind}_${"0".repeat(64)}`;
  expect(toLineDiff("", `x ${token}`)).toBe(`@@ line 1 @@\n-\n+x hub_${kind}_…`);
});

test("Secrets of the hub's environment are not shown", () => {
  expect(toLineDiff("", '"HUB_ENC_KEY": "k1",')).toEndWith('+"HUB_ENC_KEY": "…",');
  expect(toLineDiff("", 'HUB_OIDC_CLIENT_SECRET = "s"')).toEndWith('SECRET = "…"');
});

test("In a file of one long line only the characters that change are shown", () => {
  const secret = "s".repeat(1000);
  expect(toLineDiff(`{"key":"${secret}"}`, `{"key":"${secret}","hub":{}}`)).toBe(
    '@@ line 1 @@\n+…,"hub":{}…',
  );
});
