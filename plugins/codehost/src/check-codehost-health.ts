import { type Health, OutboundError, SetupError, UpstreamError } from "@hub/connector";
import { apiPath } from "./api-path.ts";
import type { HostContext } from "./codehost-config-fields.ts";
import { requestJson } from "./request-codehost.ts";

/** Checks that the host answers and the token is valid, but not the permissions of the token. */
export async function checkHealth(ctx: HostContext): Promise<Health> {
  try {
    await requestJson(ctx, { path: apiPath`/user` });
    return { ok: true };
  } catch (thrown) {
    const isExpectedError = thrown instanceof UpstreamError || thrown instanceof OutboundError;
    if (isExpectedError || thrown instanceof SetupError) {
      return { ok: false, reason: thrown.message };
    }
    throw thrown;
  }
}
