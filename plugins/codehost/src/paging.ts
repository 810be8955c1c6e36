import type { Integer } from "@hub/connector";
import type { Query } from "./request-codehost.ts";

const perPageMax = 100;

export type PageParams = { per_page: Integer; page: Integer };

/** The query for one page of a list, with 1 to 100 items. */
export function toPageQuery({ per_page: perPage, page }: PageParams): Query {
  const requested = toPage(page);
  return {
    per_page: Math.min(Math.max(Number(perPage), 1), perPageMax),
    ...(requested > 1 && { page: requested }),
  };
}

export type PageFacts = { page: Integer; has_more: boolean; next_page?: Integer; note?: string };

/** The facts of a list besides its items: whether there are more, and what was left out. */
export function describePage(params: PageParams, headers: Headers): PageFacts {
  const page = toPage(params.page);
  const next = findNextPage(headers.get("link"));
  const notes = [findClamped(params), findHidden(headers)].filter((note) => note !== null);
  return {
    page,
    has_more: next !== null,
    ...(next !== null && { next_page: next === "unnamed" ? Number(page) + 1 : next }),
    ...(notes.length > 0 && { note: notes.join(" ") }),
  };
}

function toPage(page: Integer): Integer {
  return page < 1 ? 1 : page;
}

/** The page number of `next` in a Link header; "unnamed" if the host uses cursors. */
function findNextPage(link: string | null): number | "unnamed" | null {
  const address = /<([^>]*)>[^<]*?rel="?next"?/.exec(link ?? "")?.[1];
  if (address === undefined) return null;
  const page = Number(/[?&]page=(\d{1,9})(?:&|$)/.exec(address)?.[1] ?? Number.NaN);
  return Number.isNaN(page) ? "unnamed" : page;
}

function findClamped({ per_page: perPage }: PageParams): string | null {
  if (perPage <= perPageMax) return null;
  return `per_page is ${perPageMax} at most, so this page has no more than that.`;
}

/** Items of an organization that has not approved the token are missing, which only a header shows. */
function findHidden(headers: Headers): string | null {
  if (!headers.get("x-github-sso")?.startsWith("partial-results")) return null;
  return "Items of organizations that require single sign-on are left out, because the token is not authorized for them.";
}
