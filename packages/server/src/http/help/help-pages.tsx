/** @jsxImportSource hono/jsx */
import type { Context } from "hono";
import { findPage } from "../../docs/find-page.ts";
import { toLlmsText } from "../../docs/llms-text.ts";
import type { Docs } from "../../docs/read-docs.ts";
import { createDocsSearch, type DocsSearch } from "../../docs/search-docs.ts";
import { HubError } from "../../errors.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { AppEnv } from "../app-env.ts";
import { getSignedIn } from "../guards/need-session.ts";
import { renderPage } from "../pages/render-page.tsx";
import { FoundPage, HelpPage } from "./help-page.tsx";
import { toHelpPath } from "./help-path.ts";
import { renderMarkdown } from "./render-markdown.ts";

const foundMax = 20;
const queryCharsMax = 200;
const index = "README.md";

export type HelpPages = {
  /** `/help` and `/help/`: the index, or with `q` the sections that match. */
  showIndex(ctx: Context<AppEnv>): Promise<Response>;
  /** `/help/…`: a page by its topic. */
  showTopic(ctx: Context<AppEnv>): Promise<Response>;
  /** `/llms.txt`: what the hub is, how clients connect, and its pages. */
  answerLlmsText(): Promise<Response>;
};

type HelpDeps = { docs: Docs; hubVersion: string; baseUrl: string };

export function createHelpPages({ docs, hubVersion, baseUrl }: HelpDeps): HelpPages {
  const search: DocsSearch = createDocsSearch(docs, yieldToEventLoop);
  const show = async (ctx: Context<AppEnv>, path: string) => {
    const page = renderMarkdown(path, await docs.read(path));
    return renderPage(
      ctx,
      <HelpPage signedIn={getSignedIn(ctx)} page={page} hubVersion={hubVersion} />,
    );
  };
  return {
    async showIndex(ctx) {
      const query = (ctx.req.query("q") ?? "").slice(0, queryCharsMax);
      if (query.trim() === "") return await show(ctx, index);
      const found = await search.search(query, foundMax);
      return renderPage(ctx, <FoundPage signedIn={getSignedIn(ctx)} query={query} found={found} />);
    },
    async showTopic(ctx) {
      const typed = ctx.req.path.slice(toHelpPath("").length);
      const found = findPage(typed, docs.paths);
      if ("path" in found) return await show(ctx, found.path);
      const similar = found.nearest === null ? "" : ` Did you mean "${found.nearest}"?`;
      throw new HubError(
        "not_found",
        `The documentation has no such page.${similar} Open /help to search it.`,
      );
    },
    async answerLlmsText() {
      const text = toLlmsText({
        index: await docs.read(index),
        mcpUrl: `${baseUrl}/mcp`,
        toUrl: (topic) => `${baseUrl}${toHelpPath(topic)}`,
      });
      return new Response(text, {
        headers: {
          "Content-Type": "text/plain; charset=utf-8",
          "X-Content-Type-Options": "nosniff",
        },
      });
    },
  };
}
