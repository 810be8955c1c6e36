import { createMask } from "../../secrets/mask.ts";
import type { RingHolder } from "../../secrets/ring-holder.ts";
import type { RowTokens } from "../../secrets/sealer.ts";
import type { RunRequest } from "./prepare-run.ts";

type SealDeps = {
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
};

/** Replaces the workflow's secrets in what starts a run, before it is stored. */
export async function sealEvent(
  { ring, isMaskingEnabled: enabled, rowTokens }: SealDeps,
  request: RunRequest,
): Promise<RunRequest> {
  const secrets = await request.workflow.secrets();
  if (secrets.size === 0) return request;
  const userId = request.workflow.ownerId;
  const mask = createMask({ ring: ring.current(), userId, enabled, rowTokens });
  for (const text of secrets.values()) mask.addSecret(text);
  const { raw, deliveryId } = request;
  return {
    ...request,
    payload: mask.sealJson(request.payload),
    // Equal texts have equal tokens, so a second delivery is still recognized.
    ...(deliveryId != null && { deliveryId: mask.sealText(deliveryId) }),
    ...(raw !== undefined && { raw: sealBytes(raw, (text) => mask.sealText(text)) }),
  };
}

/** Bytes without a secret stay as they are, also if they are no text. */
function sealBytes(raw: Uint8Array, sealText: (text: string) => string): Uint8Array {
  const text = new TextDecoder().decode(raw);
  const sealed = sealText(text);
  return sealed === text ? raw : new TextEncoder().encode(sealed);
}
