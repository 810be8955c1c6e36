import { wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import { defineOperation, fullInput, pageInput, pageNote, repoInput } from "../define-operation.ts";
import { splitNames } from "../pick-present.ts";
import { requestOne } from "../request-one.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";

/** Webhooks of a repository. */
export const hooks = {
  list_hooks: defineOperation({
    name: "List webhooks",
    description: `List the webhooks of a repository with their URLs and events.\n\nThe token needs admin access to the repository. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/hooks`,
        prose: toProseLimits("full: true gives all"),
      }),
  }),

  create_hook: defineOperation({
    name: "Create webhook",
    description:
      "Create a webhook: the host then calls a URL when something happens in a repository.\n\nThe events are sent to that URL, including names from private code. The token needs admin access.",
    destructive: true,
    input: {
      ...repoInput,
      url: wick("url;required;desc=URL that the host calls, such as https://ci.example.com/hook"),
      events: wick(
        "default=push;embed=list;desc=Comma-separated events, such as push, pull_request. * is all",
      ),
      secret: wick("secret;desc=Key with which the host signs events. Use a hub_enc_ token"),
      content_type: wick(
        "dropdown=json|form;default=json;desc=Format in which the host sends events",
      ),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          url: "https://ci.example.com/hook",
          events: "push, pull_request",
        },
      },
    ],
    async run(ctx) {
      const { url, events, secret, content_type } = ctx.params;
      const path = apiPath`${toRepoPath(ctx.params)}/hooks`;
      const body = {
        name: "web",
        active: true,
        events: splitNames("events", events),
        config: { url, content_type, ...(secret !== undefined && secret !== "" && { secret }) },
      };
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),
};
