import { expect, test } from "bun:test";
import { toLineDiff } from "./line-diff.ts";

test("Only changed lines are shown, with the number of the first", () => {
  expect(toLineDiff("a\nsecret\nc\n", "a\nsecret,\nnew\nc\n")).toBe(
    "@@ line 2 @@\n-secret\n+secret,\n+new",
  );
});

test("Tokens of the hub are not shown", () => {
  expect(toLineDiff("", `x ${`hub_pat_${"0".repeat(32)}`}`)).toBe("@@ line 1 @@\n-\n+x hub_pat_…");
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
