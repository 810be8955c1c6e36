import { type Json, toJsonText } from "@hub/connector";
import { cutJson } from "../../lib/json/cut-json.ts";
import { findPlainJson, tooLargeValue } from "../../lib/json/plain-json.ts";
import { TooManySecretsError } from "../../secrets/masks/limit-seals.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { CallMask } from "../masking/call-mask.ts";
import { cutSealedText } from "../masking/cut-sealed-text.ts";
import { containsRemovedToken } from "../masking/hub-tokens.ts";
import { sealBeginning } from "../masking/seal-beginning.ts";

/** The request, the response and a failure's details are each stored up to this size. */
export const auditBytesMax = 16 * 1024;

/** A sealed value as stored in an audit row: valid JSON, cut to size. */
export function toAuditText(value: Json, text: string): string {
  if (Buffer.byteLength(text) <= auditBytesMax) return text;
  return toJsonText(cutJson(value, auditBytesMax, cutSealedText));
}

/** What a record stores of a request: sealed, cut to size, and whether it can be replayed. */
export function toStoredRequest(
  { request, isRequestPartial = false }: { request: Json; isRequestPartial?: boolean },
  { mask, hasTooManySecrets }: CallMask,
) {
  // Only the beginning of a long request is stored, so only that part is searched.
  const isShort = findPlainJson(request) !== tooLargeValue;
  const sealed = isShort ? sealRequest(request, mask) : sealRequestBeginning(request, mask);
  const text = toJsonText(sealed);
  const stored = toAuditText(sealed, text);
  const isWhole = isShort && sealed !== unsealable && stored === text && !hasTooManySecrets();
  return {
    request: stored,
    requestCut: isRequestPartial || !isWhole || containsRemovedToken(text),
  };
}

/** A token in the place of a right guess would confirm it, so the same is stored for all requests. */
export const leftOutRequest = {
  request: toJsonText({
    _omitted:
      "The row has a secret that can be guessed, so what its callers send is not stored. Ask an admin to set a longer random secret.",
  }),
  requestCut: true,
};

const unsealable = { _omitted: "The request contains secrets in too many forms to be sealed." };

/** If a request cannot be sealed, its call is recorded without it. */
function sealRequest(request: Json, mask: Mask): Json {
  try {
    return mask.sealJson(request);
  } catch (thrown) {
    if (thrown instanceof TooManySecretsError) return unsealable;
    throw thrown;
  }
}

function sealRequestBeginning(request: Json, mask: Mask): Json {
  try {
    return sealBeginning(mask, request, auditBytesMax);
  } catch {
    return unsealable;
  }
}
