import { toJsonText } from "@hub/connector";
import fc from "fast-check";
import { createKeyRing } from "../keys/key-ring.ts";
import { createMask } from "../masks/mask.ts";
import { leftOutText } from "../masks/match-sealer.ts";
import { sealValue } from "../value-tokens/value-tokens.ts";
import { createLeakCheck } from "./leak-check.ts";
import { isOfRow, plantJson, type Secret, secretTexts } from "./secret-cases.ts";

/** The secrets of a call, and a result that contains them in many forms. */
export type MaskingCase = { secrets: Secret[]; result: unknown };

const ring = createKeyRing([new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const rowId = "3f0c7c1e-2222-4c4c-8d8d-0123456789ab";

/** Makes tokens for these secrets as the hub does. */
const tokensOf = (secrets: readonly Secret[]) => (text: string) =>
  sealValue(ring, { userId, rowId: isOfRow(secrets, text) ? rowId : null }, text);

const secret = fc.record({
  text: secretTexts,
  anyCase: fc.constantFrom(false, false, false, true),
  ofRow: fc.boolean(),
});

/** Cases for `checkMasking`. */
export const maskingCases: fc.Arbitrary<MaskingCase> = fc
  .array(secret, { minLength: 1, maxLength: 4 })
  .chain((secrets) =>
    fc.record({
      secrets: fc.constant(secrets),
      result: plantJson({ secrets, toToken: tokensOf(secrets) }),
    }),
  );

/**
 * Throws if masking of this case breaks one of its rules. Says whether a text was left out, because it could not be
 * searched within its limit: nothing of it leaves, but it is not as it was.
 */
export function checkMasking({ secrets, result }: MaskingCase): { isLeftOut: boolean } {
  const mask = createMask({ ring, userId, enabled: true });
  mask.bindRow(rowId);
  for (const { text, anyCase, ofRow = false } of secrets) {
    if (anyCase) mask.addSecretIgnoreCase(text, { ofRow });
    else mask.addSecret(text, { ofRow });
  }
  const sealed = mask.sealJson(result);
  const check = createLeakCheck({ ring, userId, rowId }, secrets);
  const text = toJsonText(sealed);
  check.checkJsonText("the result", text);
  const isLeftOut = text.includes(leftOutText);
  if (!isLeftOut) check.checkLossless("the result", sealed, result);
  checkIdentity(result, sealed);
  if (!Object.is(mask.sealJson(sealed), sealed))
    throw new Error("Sealing a second time changed something");
  return { isLeftOut };
}

/** Unchanged parts must be the same object, not a copy. */
function checkIdentity(before: unknown, after: unknown): void {
  if (typeof before !== "object" || typeof after !== "object" || before === after) return;
  if (before === null || after === null) return;
  if (toJsonText(before) === toJsonText(after)) throw new Error("An untouched part was copied");
  const [olds, news] = [Object.values(before), Object.values(after)];
  // Keys that look like numbers may change their order; only lists always keep it.
  if (!Array.isArray(before)) return;
  for (const [index, old] of olds.entries()) checkIdentity(old, news[index]);
}
