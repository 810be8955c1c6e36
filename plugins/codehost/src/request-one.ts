import type { Json } from "@hub/connector";
import type { HostContext } from "./config-fields.ts";
import { presentOne } from "./present.ts";
import { type HostRequest, requestJson } from "./request.ts";

type OneContext = HostContext & { params: { full?: boolean | undefined } };

/** Sends a request whose answer is one object. */
export async function requestOne(ctx: OneContext, request: HostRequest): Promise<Json> {
  return presentOne(ctx, await requestJson(ctx, request), ctx.params.full);
}
