import { wick } from "@hub/connector";
import { apiPath, toRepoPath } from "../api-path.ts";
import { defineOperation, fullInput, pageInput, pageNote, repoInput } from "../define-operation.ts";
import { checkAnyPresent, pickPresent } from "../pick-present.ts";
import { requestJson } from "../request-codehost.ts";
import { requestOne } from "../request-one.ts";
import { requestPage } from "../request-page.ts";
import { toProseLimits } from "../trim/cut-prose.ts";

const releaseInput = {
  release_id: wick.int("required;desc=The release's numeric id, from list_releases"),
};

/** Releases: reading, creating, changing and deleting them. */
export const releases = {
  list_releases: defineOperation({
    name: "List releases",
    description: `List the releases of a repository, newest first.\n\nNotes are cut to 280 characters; get_release returns the whole notes. Drafts are listed only for tokens with push access. ${pageNote}`,
    reads: true,
    input: { ...repoInput, ...pageInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", per_page: 5 } }],
    run: (ctx) =>
      requestPage(ctx, {
        path: apiPath`${toRepoPath(ctx.params)}/releases`,
        prose: toProseLimits("get_release gives all"),
      }),
  }),

  get_latest_release: defineOperation({
    name: "Get latest release",
    description:
      "Get the newest release that is neither a draft nor a pre-release.\n\nFor a repository without such a release the host answers 404: use list_releases.",
    reads: true,
    input: { ...repoInput, ...fullInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world" } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/releases/latest`;
      return await requestOne(ctx, { path });
    },
  }),

  get_release: defineOperation({
    name: "Get release",
    description: "Get one release by its numeric id, with its whole notes and its files.",
    reads: true,
    input: { ...repoInput, ...releaseInput, ...fullInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", release_id: 9 } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/releases/${ctx.params.release_id}`;
      return await requestOne(ctx, { path });
    },
  }),

  create_release: defineOperation({
    name: "Create release",
    description:
      "Create a release of a tag, with notes.\n\nIf the tag does not exist, it is created at target_commitish. Watchers are notified unless draft is true.",
    destructive: true,
    input: {
      ...repoInput,
      tag_name: wick("required;desc=The tag, such as v2.0.0"),
      name: wick("desc=Title of the release"),
      body: wick("textarea;desc=The notes, in Markdown"),
      target_commitish: wick(
        "desc=Branch or sha for a new tag. If left out, the default branch is used",
      ),
      draft: wick.bool("desc=true creates a draft"),
      prerelease: wick.bool("desc=true marks it as a pre-release"),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          tag_name: "v2.0.0",
          name: "2.0.0",
          body: "Faster.",
          draft: true,
        },
      },
    ],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/releases`;
      const body = pickPresent(ctx.params, [
        "tag_name",
        "name",
        "body",
        "target_commitish",
        "draft",
        "prerelease",
      ]);
      return await requestOne(ctx, { method: "POST", path, body });
    },
  }),

  update_release: defineOperation({
    name: "Update release",
    description:
      "Change a release's tag, title, notes or state.\n\nOnly the given params change. draft: false publishes a draft.",
    destructive: true,
    input: {
      ...repoInput,
      ...releaseInput,
      tag_name: wick("desc=New tag"),
      name: wick("desc=New title. An empty text clears it"),
      body: wick("textarea;desc=Notes that replace the old ones. An empty text clears them"),
      draft: wick.bool("desc=false publishes the release, true makes it a draft"),
      prerelease: wick.bool("desc=Whether it is a pre-release"),
      ...fullInput,
    },
    examples: [{ params: { owner: "octocat", repo: "hello-world", release_id: 9, draft: false } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/releases/${ctx.params.release_id}`;
      const names = ["tag_name", "name", "body", "draft", "prerelease"] as const;
      const body = pickPresent(ctx.params, names, ["name", "body"]);
      checkAnyPresent(body, names);
      return await requestOne(ctx, { method: "PATCH", path, body });
    },
  }),

  delete_release: defineOperation({
    name: "Delete release",
    description:
      "Delete a release with its notes and files permanently.\n\nThe git tag is kept. Returns ok: true.",
    destructive: true,
    input: { ...repoInput, ...releaseInput },
    examples: [{ params: { owner: "octocat", repo: "hello-world", release_id: 9 } }],
    async run(ctx) {
      const path = apiPath`${toRepoPath(ctx.params)}/releases/${ctx.params.release_id}`;
      await requestJson(ctx, { method: "DELETE", path });
      return { ok: true };
    },
  }),
};
