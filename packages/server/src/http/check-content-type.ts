import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";

/**
 * Refuses forms and plain text, which pages of other sites may send without a CORS preflight; and
 * compressed bodies, which expand after the size check.
 */
export const checkContentType = createMiddleware<AppEnv>(async (ctx, next) => {
  const type = ctx.req.header("content-type")?.split(";")[0]?.trim().toLowerCase();
  const encoding = ctx.req.header("content-encoding") ?? "identity";
  if (type !== "application/json" || encoding.toLowerCase() !== "identity") {
    throw new HubError(
      "unsupported_media_type",
      "Send the body as Content-Type: application/json, uncompressed.",
    );
  }
  await next();
});
