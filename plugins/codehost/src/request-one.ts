import type { Json } from "@hub/connector";
import type { HostContext } from "./codehost-config-fields.ts";
import { presentOne } from "./present-answer.ts";
import { type HostRequest, requestJson } from "./request-codehost.ts";

type OneContext = HostContext & { params: { full?: boolean | undefined } };

/** Sends a request whose answer is one object. */
export async function requestOne(ctx: OneContext, request: HostRequest): Promise<Json> {
  return presentOne(ctx, await requestJson(ctx, request), ctx.params.full);
}
