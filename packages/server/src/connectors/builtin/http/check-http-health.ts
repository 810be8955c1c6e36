import { type Health, type HealthContext, OutboundError } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import type { HttpConfig } from "./http-config-fields.ts";
import { toRequestHeaders } from "./request-headers.ts";
import { readBaseUrl, toRequestUrl } from "./request-url.ts";

/**
 * Requests the base URL. Many APIs answer 404 there, which still shows that the server is reachable
 * and did not refuse the credentials.
 */
export async function checkHealth(ctx: HealthContext<HttpConfig>): Promise<Health> {
  try {
    const url = toRequestUrl(ctx.config, "/", undefined);
    const headers = toRequestHeaders(ctx.config, undefined, ctx.mask);
    const response = await ctx.fetch(url, {
      headers,
      credentialsBelow: readBaseUrl(ctx.config.BaseURL),
    });
    await response.body?.cancel();
    return judge(response.status);
  } catch (thrown) {
    if (thrown instanceof OutboundError || thrown instanceof HubError) {
      return { ok: false, reason: thrown.message };
    }
    throw thrown;
  }
}

function judge(status: number): Health {
  if (status === 401 || status === 403) {
    return { ok: false, reason: `The server refused the credentials (status ${status}).` };
  }
  if (status >= 500) return { ok: false, reason: `The server failed (status ${status}).` };
  if (status < 400) return { ok: true };
  return { ok: true, reason: `The server answers with status ${status} at the base URL.` };
}
