import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { createMask } from "../../secrets/masks/mask.ts";
import type { RowTokens } from "../../secrets/value-tokens/sealer.ts";
import { hideTokens } from "../engine/secrets/hide-tokens.ts";
import type { WorkflowDirectory } from "../workflow-directory.ts";

type HideDeps = {
  directory: WorkflowDirectory;
  ring: Pick<RingHolder, "current">;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
};

/** Replaces the secrets of a workflow in texts. Null if the workflow does not exist. */
export async function openHide(
  { directory, ring, isMaskingEnabled: enabled, rowTokens }: HideDeps,
  workflowId: string,
): Promise<((text: string) => string) | null> {
  const workflow = await directory.find(workflowId);
  if (workflow === null) return null;
  const mask = createMask({ ring: ring.current(), userId: workflow.ownerId, enabled, rowTokens });
  for (const secret of (await workflow.secrets()).values()) mask.addSecret(secret);
  // The texts are shown without their tokens.
  for (const { text, former } of ((await workflow.managed?.()) ?? new Map()).values()) {
    for (const secret of text === null ? former : [text, ...former]) mask.addSecret(secret);
  }
  return (text) => String(hideTokens(mask.sealText(text)));
}
