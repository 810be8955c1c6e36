import { InvalidInputError, wick } from "@hub/connector";
import { apiPath, toRepoPath, toSegments } from "../api-path.ts";
import { defineOperation, fullInput, repoInput } from "../define-operation.ts";
import { emptyAdvice, isEmptyRepository } from "../empty-repository.ts";
import { presentOne } from "../present-answer.ts";
import { requestJson } from "../request-codehost.ts";
import { isWithoutContent, presentContents, presentPart } from "./files/contents.ts";
import { readPart } from "./files/read-part.ts";
import { writeFile } from "./files/write-file.ts";

/** Files in a repository. */
export const files = {
  get_file: defineOperation({
    name: "Get file",
    description:
      "Read a text file of a repository, or list a folder.\n\nReturns content as text, and its sha. For a file over 1 MB it returns a part, and next_offset for the next one; for a binary file or a submodule type, size and a note; for a folder, its entries.",
    reads: true,
    input: {
      ...repoInput,
      path: wick(
        "required;desc=Path in the repository, such as src/main.ts. / lists the root folder",
      ),
      ref: wick("desc=Branch, tag or sha. If left out, the default branch is used"),
      offset: wick.int(
        "default=0;desc=Of a file over 1 MB: the byte to read from, next_offset of the part before",
      ),
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
      const query = { ref: ctx.params.ref };
      try {
        const { json } = await requestJson(ctx, { path, query });
        if (!isWithoutContent(json)) return presentContents(json);
        const offset = Math.max(Number(ctx.params.offset), 0);
        const part = await readPart(ctx, { path, query, offset });
        return part === null ? presentContents(json) : presentPart(json, part);
      } catch (thrown) {
        if (inner !== "" || !isEmptyRepository(thrown)) throw thrown;
        return { type: "folder", entries: [], note: emptyAdvice };
      }
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
