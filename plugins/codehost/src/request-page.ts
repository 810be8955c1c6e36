import type { ApiPath } from "./api-path.ts";
import type { HostContext } from "./config-fields.ts";
import { type PageParams, toPageQuery } from "./paging.ts";
import { type ListShape, presentPage } from "./present.ts";
import { type Query, requestJson } from "./request.ts";

type PageContext = HostContext & { params: PageParams & { full?: boolean | undefined } };

type PageRequest = ListShape & { path: ApiPath; query?: Query };

/** Requests the page of a list that the params name. */
export async function requestPage(
  ctx: PageContext,
  { path, query, ...shape }: PageRequest,
): Promise<unknown> {
  const answer = await requestJson(ctx, { path, query: { ...query, ...toPageQuery(ctx.params) } });
  return presentPage(ctx, answer, shape);
}
