import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import { type FreshNeed, freshSignInPath } from "../../identity/fresh-sign-in.ts";
import type { ServiceDeps } from "../../services/service-deps.ts";
import type { AppEnv } from "../app-env.ts";
import { withDestination } from "../sign-in/destination.ts";
import { toActor } from "./need-session.ts";

/**
 * The redirect to the page that asks who the user is; null if their sign-in is fresh enough. A form cannot be sent again after it,
 * so `page` follows.
 */
export function askFresh(
  { services: { freshSignIn } }: { services: Pick<ServiceDeps, "freshSignIn"> },
  ctx: Context<AppEnv>,
  need: FreshNeed,
  page: string,
): Response | null {
  try {
    freshSignIn.check(toActor(ctx), need);
    return null;
  } catch (thrown) {
    const isAsked = thrown instanceof HubError && thrown.code === "fresh_sign_in_required";
    if (!isAsked) throw thrown;
    return ctx.redirect(withDestination(freshSignInPath, page), 303);
  }
}
