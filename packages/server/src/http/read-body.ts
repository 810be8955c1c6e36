import { createMiddleware } from "hono/factory";
import { HubError } from "../errors.ts";
import type { AppEnv } from "./app-env.ts";

const bodyBytesMax = 4 * 1024 * 1024;

/**
 * Stops bodies that would fill the memory: by the length they announce, and by counting where they
 * announce none. Bodies that trickle in are cut by the server's idle timeout.
 */
export const readBody = createMiddleware<AppEnv>(async (ctx, next) => {
  ctx.set("body", await readText(ctx.req.raw));
  await next();
});

async function readText(req: Request): Promise<string> {
  const announced = req.headers.get("content-length");
  if (announced !== null && Number(announced) > bodyBytesMax) throw refuseSize();
  try {
    return await (announced === null ? readCounting(req) : req.text());
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    throw new HubError("invalid_request", "The body did not arrive whole.");
  }
}

async function readCounting(req: Request): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of req.body ?? []) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw refuseSize();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function refuseSize(): HubError {
  return new HubError("body_too_large", `A body is at most ${bodyBytesMax} bytes long.`);
}
