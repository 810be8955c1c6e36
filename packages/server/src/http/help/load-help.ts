import type { Context } from "hono";
import type { Docs } from "../../docs/read-docs.ts";
import { HubError } from "../../errors.ts";
import type { AppEnv } from "../app-env.ts";
import type { HelpPages } from "./help-pages.tsx";

type LoaderDeps = {
  hubVersion: string;
  baseUrl: string;
  /** Throws if this program has no documentation. */
  readDocs: () => Promise<Docs>;
};

/**
 * Handlers that load the documentation, its parser and its search on first use, because a hub that only serves
 * MCP never needs them.
 */
export function createHelpLoader({ readDocs, ...deps }: LoaderDeps) {
  let loaded: Promise<HelpPages> | null = null;
  const load = async (): Promise<HelpPages> => {
    const docs = await readDocs().catch((cause) => {
      throw new HubError("not_found", "This program has no documentation in it.", { cause });
    });
    const { createHelpPages } = await import("./help-pages.tsx");
    return createHelpPages({ ...deps, docs });
  };
  return (answer: (pages: HelpPages, ctx: Context<AppEnv>) => Promise<Response>) =>
    async (ctx: Context<AppEnv>): Promise<Response> => {
      loaded ??= load();
      loaded.catch(() => {
        loaded = null;
      });
      return await answer(await loaded, ctx);
    };
}
