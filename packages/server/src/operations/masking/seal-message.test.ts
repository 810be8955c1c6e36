import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { cutTextAtCharacter } from "../../lib/json/cut-json.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { createMask } from "../../secrets/masks/mask.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { describeCause, describeFailedCall } from "../records/describe-cause.ts";
import { sealDetails, sealMessage } from "./seal-message.ts";

const mask = {
  sealText: (text: string) => text,
  sealJson: (value: unknown) => value,
  cutText: cutTextAtCharacter,
  cutList: (_items: readonly unknown[], end: number) => end,
};
const huge = "x".repeat(1024 * 1024);

test("A connector's messages and details are cut to size", () => {
  expect(sealMessage(mask, "short")).toBe("short");
  expect(sealMessage(mask, huge).length).toBeLessThanOrEqual(4 * 1024);
  expect(sealMessage(mask, { huge }).length).toBeLessThanOrEqual(4 * 1024);
  expect(JSON.stringify(sealDetails(mask, { huge })).length).toBeLessThanOrEqual(16 * 1024);
});

test("A connector's errors are cut to size for the log", () => {
  const thrown = new Error(huge, { cause: new Error(huge) });
  expect(JSON.stringify(describeCause(mask, thrown)).length).toBeLessThanOrEqual(16 * 1024);
  expect(describeCause(mask, new Error("short"))).toMatchObject({
    stack: expect.stringContaining("short"),
  });
});

test("The reason of an outside failure names its cause once, on one line, cut to size", () => {
  const refused = new Error("connect ECONNREFUSED\n192.0.2.7:443");
  const thrown = new Error("The host cannot be reached.", { cause: refused });
  const failure = new HubError("upstream_error", thrown.message, { cause: thrown });
  expect(describeFailedCall(mask, failure)).toEqual({
    reason: "The host cannot be reached. Cause: connect ECONNREFUSED 192.0.2.7:443",
  });
  const long = describeFailedCall(mask, new HubError("timeout", huge, { cause: new Error(huge) }));
  expect(JSON.stringify(long).length).toBeLessThanOrEqual(5 * 1024);
  expect(describeFailedCall(mask, new HubError("internal", "x", { cause: thrown }))).toMatchObject({
    err: { stack: expect.stringContaining(".test.ts") },
  });
});

test("A message is never cut inside a token", () => {
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const userId = crypto.randomUUID();
  const mask = createMask({ ring, userId, enabled: true });
  mask.addSecret("a secret beside");
  const token = sealValue(ring, { userId, rowId: null }, "x".repeat(4000));
  expect(token.length).toBeGreaterThan(4096);
  const sealed = sealMessage(mask, `before ${token} after`);
  expect(sealed).toBe("before ");
});

test("A list of bytes is never cut inside a secret, however long the list is", () => {
  const ring = createKeyRing([new Uint8Array(32).fill(7)]);
  const secret = Array.from({ length: 2_000 }, (_, at) =>
    String.fromCodePoint(0x4e00 + at * 7),
  ).join("");
  const mask = createMask({ ring, userId: crypto.randomUUID(), enabled: true });
  mask.addSecret(secret);
  for (const charsBefore of [9, 3_000]) {
    const bytes = [...Buffer.from(`${"x".repeat(charsBefore)}${secret} after`)];
    const sealed = JSON.stringify(sealDetails(mask, { bytes }));
    const start = [...Buffer.from(secret).subarray(0, 12)].join();
    expect(sealed).toStartWith('{"bytes":[120,');
    expect(sealed).not.toContain(start);
  }
});
