import type { Context } from "hono";
import { HubError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import type { LoadWeb } from "./load-web.ts";

/** The folder of the app's files. */
export const appAssets = "/assets/app/";

/** Answers a file of the app, compressed if the browser accepts it. The files are not confidential. */
export function answerAppAsset({ loadWeb }: { loadWeb: LoadWeb }) {
  return async (ctx: Context<AppEnv>): Promise<Response> => {
    const file = (await loadWeb())?.files.get(ctx.req.param("name") ?? "");
    if (file === undefined) throw new HubError("not_found", "There is no such file.");
    const accepted = ctx.req.header("accept-encoding") ?? "";
    const encoding = /\bbr\b/.test(accepted) ? "br" : /\bgzip\b/.test(accepted) ? "gzip" : null;
    const body = encoding === "br" ? file.brotli : encoding === "gzip" ? file.gzip : file.body;
    return new Response(body, {
      headers: {
        "Content-Type": file.type,
        "Cache-Control": "public, max-age=31536000, immutable",
        "X-Content-Type-Options": "nosniff",
        Vary: "Accept-Encoding",
        ...(encoding !== null && { "Content-Encoding": encoding }),
      },
    });
  };
}
