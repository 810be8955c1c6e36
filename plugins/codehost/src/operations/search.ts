import { wick } from "@hub/connector";
import { apiPath } from "../api-path.ts";
import { defineOperation, pageInput, pageNote } from "../define-operation.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";

const beside = ["total_count", "incomplete_results"];
const searchNote = `Also returns total_count. The host returns only the first 1000 results. incomplete_results is true if the search timed out. ${pageNote}`;

/** Search in everything that the token may see, in the host's search syntax. */
export const search = {
  search_issues: defineOperation({
    name: "Search issues and pull requests",
    description: `Search issues and pull requests, in one repository or all.\n\nAdd is:issue or is:pr to q, and repo:, org:, author:, label:, state: as needed. ${searchNote}`,
    reads: true,
    input: {
      q: wick(
        'required;desc=Words and qualifiers, such as repo:octocat/hello-world is:issue is:open label:bug "login fails"',
      ),
      ...pageInput,
    },
    examples: [
      { params: { q: "repo:octocat/hello-world is:issue is:open label:bug login" } },
      {
        description: "Pull requests that wait for my review",
        params: { q: "is:pr is:open review-requested:@me" },
      },
    ],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`/search/issues`,
        query: { q: ctx.params.q },
        member: "items",
        beside,
        prose: toProseLimits("get_issue gives all"),
      }),
  }),

  search_repos: defineOperation({
    name: "Search repositories",
    description: `Search repositories by name, topic, language or owner.\n\n${searchNote}`,
    reads: true,
    input: {
      q: wick("required;desc=Words and qualifiers, such as hello in:name language:ruby stars:>100"),
      ...pageInput,
    },
    examples: [{ params: { q: "org:octo-org topic:cli archived:false", per_page: 10 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`/search/repositories`,
        query: { q: ctx.params.q },
        member: "items",
        beside,
        prose: toProseLimits("get_repo gives all"),
      }),
  }),

  search_code: defineOperation({
    name: "Search code",
    description: `Search for words in the files of default branches.\n\nq needs a scope, such as repo: or org:. Returns paths; get_file reads them. The host allows few calls per minute. ${searchNote}`,
    reads: true,
    input: {
      q: wick(
        "required;desc=Words and a scope, such as parseLink repo:octocat/hello-world path:src",
      ),
      ...pageInput,
    },
    examples: [{ params: { q: "parseLink repo:octocat/hello-world language:typescript" } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`/search/code`,
        query: { q: ctx.params.q },
        member: "items",
        beside,
        prose: toProseLimits("get_file gives the file"),
      }),
  }),
};
