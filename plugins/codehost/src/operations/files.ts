import { InvalidInputError, wick } from "@hub/connector";
import { apiPath, toRepoPath, toSegments } from "../api-path.ts";
import { defineOperation, fullInput, repoInput } from "../operation.ts";
import { presentOne } from "../present.ts";
import { requestJson } from "../request.ts";
import { presentContents } from "./files/contents.ts";
import { writeFile } from "./files/write-file.ts";

/** Files in a repository. */
export const files = {
  get_file: defineOperation({
    name: "Get file",
    description:
      "Read a text file of a repository, or list a folder.\n\nReturns content as text, and its sha. For a binary file, a submodule or a file over 1 MB it returns type, size and a note instead; for a folder, its entries.",
    input: {
      ...repoInput,
      path: wick(
        "required;desc=Path in the repository, such as src/main.ts. / lists the root folder",
      ),
      ref: wick("desc=Branch, tag or sha. If left out, the default branch is used"),
    },
    examples: [
      { params: { owner: "octocat", repo: "hello-world", path: "README.md" } },
      {
        description: "The entries of a folder on a branch",
        params: { owner: "octocat", repo: "hello-world", path: "src", ref: "develop" },
      },
    ],
    async run(ctx) {
      const inner = ctx.params.path.replace(/^\/|\/$/g, "");
      const contents = apiPath`${toRepoPath(ctx.params)}/contents`;
      const path = inner === "" ? contents : apiPath`${contents}/${toSegments("path", inner)}`;
      const { json } = await requestJson(ctx, { path, query: { ref: ctx.params.ref } });
      return presentContents(json);
    },
  }),

  create_or_update_file: defineOperation({
    name: "Create or update file",
    description:
      "Write a text file, as one commit. The whole file is replaced.\n\nWithout sha, the current version is looked up; if another writer changes the file in the meantime, nothing is written and the error says so. With the sha from get_file, only that version is overwritten. Returns the commit and the file's new sha.",
    destructive: true,
    input: {
      ...repoInput,
      path: wick(
        "required;desc=Path in the repository, such as docs/guide.md. Missing folders are created",
      ),
      content: wick(
        "textarea;desc=Required. The complete new content as plain text. An empty text creates an empty file",
      ),
      message: wick("required;desc=The commit's message"),
      branch: wick("desc=Existing branch to write to. If left out, the default branch is used"),
      sha: wick("desc=sha of the version to replace, from get_file. Default: the current version"),
      ...fullInput,
    },
    examples: [
      {
        params: {
          owner: "octocat",
          repo: "hello-world",
          path: "docs/guide.md",
          content: "# Guide\n",
          message: "Begin the guide",
          branch: "docs",
        },
      },
    ],
    async run(ctx) {
      const { content, message, branch = "", sha = "", full } = ctx.params;
      if (content === undefined) {
        throw new InvalidInputError("content", "is required. An empty text creates an empty file");
      }
      const segments = toSegments("path", ctx.params.path.replace(/^\//, ""));
      const path = apiPath`${toRepoPath(ctx.params)}/contents/${segments}`;
      const answer = await writeFile(ctx, { path, content, message, branch, sha });
      return presentOne(ctx, answer, full);
    },
  }),
};
