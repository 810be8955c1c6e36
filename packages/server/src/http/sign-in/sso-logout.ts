import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import type { SingleSignOn } from "../../identity/sso/single-sign-on.ts";
import type { AppEnv } from "../app-env.ts";

const tokenCharsMax = 16_384;

/**
 * Receives logout tokens of the provider (OpenID Connect Back-Channel Logout 1.0, section 2.5). No session, no form token
 * and no origin are checked: the provider's signature is.
 */
export function receiveLogout({ singleSignOn }: { singleSignOn: SingleSignOn | null }) {
  return async (ctx: Context<AppEnv>): Promise<Response> => {
    // Section 2.8: intermediaries must not answer the next one.
    ctx.header("Cache-Control", "no-store");
    if (singleSignOn === null) throw new HubError("not_found", "This hub has no single sign-on.");
    const token = new URLSearchParams(ctx.get("body") ?? "").getAll("logout_token");
    try {
      const isOne = token.length === 1 && `${token[0]}`.length <= tokenCharsMax;
      if (!isOne) throw new HubError("bad_request", "Send one logout_token in a form.");
      await singleSignOn.endByLogout(`${token[0]}`);
    } catch (thrown) {
      if (!(thrown instanceof HubError) || thrown.code !== "bad_request") throw thrown;
      return ctx.json({ error: "invalid_request", error_description: thrown.message }, 400);
    }
    return ctx.body(null, 200);
  };
}
