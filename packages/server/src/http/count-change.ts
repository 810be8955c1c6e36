import { createMiddleware } from "hono/factory";
import type { ChangeLimit } from "../changes/change-limit.ts";
import type { AppEnv } from "./app-env.ts";
import { getSignedIn } from "./guards/need-session.ts";

/** Counts the forms of a signed-in user. */
export function countChange(changes: ChangeLimit) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    changes.count(getSignedIn(ctx).user.id);
    await next();
  });
}
