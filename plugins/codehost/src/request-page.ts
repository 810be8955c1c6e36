import type { ApiPath } from "./api-path.ts";
import type { HostContext } from "./codehost-config-fields.ts";
import { emptyAdvice, isEmptyRepository } from "./empty-repository.ts";
import { type PageParams, toPageQuery } from "./paging.ts";
import { type ListShape, presentPage } from "./present-answer.ts";
import { type Query, requestJson } from "./request-codehost.ts";

type PageContext = HostContext & { params: PageParams & { full?: boolean | undefined } };

type PageRequest = ListShape & { path: ApiPath; query?: Query };

/** Requests the page of a list that the params name. A repository without commits has an empty one. */
export async function requestPage(
  ctx: PageContext,
  { path, query, ...shape }: PageRequest,
): Promise<unknown> {
  try {
    const pageQuery = toPageQuery(ctx.params);
    const answer = await requestJson(ctx, { path, query: { ...query, ...pageQuery } });
    return presentPage(ctx, answer, shape);
  } catch (thrown) {
    if (!isEmptyRepository(thrown)) throw thrown;
    return { items: [], page: ctx.params.page, has_more: false, note: emptyAdvice };
  }
}
