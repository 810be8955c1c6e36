import { createMiddleware } from "hono/factory";
import type { SpaceGuard } from "../../lib/files/space-guard.ts";
import type { AppEnv } from "../app-env.ts";

/** For a form that stores something: refused with `insufficient_storage` while the disk is almost full. */
export function needSpace(space: SpaceGuard) {
  return createMiddleware<AppEnv>(async (_, next) => {
    space.requireSpace();
    await next();
  });
}
