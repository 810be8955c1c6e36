import type { Json } from "@hub/connector";
import { createMask } from "../../secrets/mask.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { RowTokens } from "../../secrets/sealer.ts";
import { hasText } from "./has-text.ts";
import type { RunRequest } from "./prepare-run.ts";
import { largeChars, type SealLarge } from "./seal-large.ts";

type SealDeps = {
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  sealLarge: SealLarge;
};

/** Replaces the workflow's secrets in what starts a run, before it is stored. */
export async function sealEvent(
  { ring, isMaskingEnabled: enabled, rowTokens, sealLarge }: SealDeps,
  request: RunRequest,
): Promise<RunRequest> {
  const secrets = await request.workflow.secrets();
  if (secrets.size === 0) return request;
  const userId = request.workflow.ownerId;
  const mask = createMask({ ring: ring.current(), userId, enabled, rowTokens });
  for (const text of secrets.values()) mask.addSecret(text);
  const { raw, deliveryId } = request;
  const seal = (value: Json) =>
    isLarge(value) ? sealLarge(userId, mask, value) : (mask.sealJson(value) as Json);
  return {
    ...request,
    payload: await seal(request.payload),
    // Equal texts have equal tokens, so a second delivery is still recognized.
    ...(deliveryId != null && { deliveryId: mask.sealText(deliveryId) }),
    ...(raw !== undefined && { raw: await sealBytes(raw, seal) }),
  };
}

/** Bytes without a secret stay as they are, also if they are no text. */
async function sealBytes(
  raw: Uint8Array,
  seal: (text: string) => Json | Promise<Json>,
): Promise<Uint8Array> {
  const text = new TextDecoder().decode(raw);
  const sealed = await seal(text);
  return sealed === text ? raw : new TextEncoder().encode(String(sealed));
}

function isLarge(value: Json): boolean {
  let chars = 0;
  return hasText(value, ({ length }) => {
    chars += length;
    return chars > largeChars;
  });
}
