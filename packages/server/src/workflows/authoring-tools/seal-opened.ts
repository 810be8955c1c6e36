import type { Config } from "../../config.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { createMask } from "../../secrets/masks/mask.ts";
import type { WorkflowCall } from "./workflow-call.ts";

type SealDeps = {
  ring: Pick<RingHolder, "current">;
  config: Pick<Config, "encDisable" | "rowTokens">;
};

/**
 * The call pipeline has opened the caller's value tokens in the params. What a workflow stores of them,
 * its body and the events of runs, has them as tokens again.
 */
export function sealOpened(
  { ring, config }: SealDeps,
  { caller, secrets }: WorkflowCall,
  value: unknown,
): unknown {
  if (value === undefined || secrets.length === 0) return value;
  const { encDisable, rowTokens } = config;
  const { userId } = caller;
  const mask = createMask({ ring: ring.current(), userId, enabled: !encDisable, rowTokens });
  for (const text of secrets) mask.addSecret(text);
  return mask.sealJson(value);
}
