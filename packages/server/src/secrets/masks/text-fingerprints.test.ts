import { expect, test } from "bun:test";
import { createTextFingerprints, toWholeText } from "./text-fingerprints.ts";

test("Equal parts of a text have the fingerprint of the whole text, and other parts have not", () => {
  const text = `${"ab".repeat(500)}\uffff\u0000${"🔑".repeat(100)}${"ab".repeat(500)}c`;
  const fingerprints = createTextFingerprints(text);
  for (const chars of [1, 2, 63, 64, 999, 1_000, 1_201]) {
    for (const start of [0, 1, 2, 998, 1_000, 1_100]) {
      const part = text.slice(start, start + chars);
      const whole = toWholeText(part);
      for (const other of [0, 1, 2, 3, 500, 999, 1_000, 1_001, 1_202]) {
        if (other + part.length > text.length) continue;
        const isSame = text.startsWith(part, other);
        expect([other, fingerprints.find(other, whole) === whole.fingerprint]).toEqual([
          other,
          isSame,
        ]);
      }
    }
  }
});
