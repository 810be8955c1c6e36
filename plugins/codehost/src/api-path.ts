import { InvalidInputError, toPathPart } from "@hub/connector";

/** A path below the base URL with escaped variable parts. Only `apiPath` creates it. */
export type ApiPath = { readonly escaped: string };

/** An input's name and text. A string is one segment; an array is several segments. */
export type PathInput = { input: string; text: string | readonly string[] };

type Part = number | bigint | PathInput | ApiPath;

/**
 * Inserts escaped values into a path, so that no value can change the target of the call, which sends the
 * token. `.` and `..` are refused, also if they are percent-encoded repeatedly, because some proxies decode
 * once more than they check.
 *
 * @example
 * apiPath`/commits/${{ input: "sha", text: "a?b" }}`.escaped; // "/commits/a%3Fb"
 */
export function apiPath(fixed: TemplateStringsArray, ...parts: Part[]): ApiPath {
  const [first = "", ...rest] = fixed;
  const escaped = parts.map((part, at) => toEscaped(part) + (rest[at] ?? "")).join("");
  return { escaped: first + escaped };
}

type RepoParams = { owner: string; repo: string };

/** The path of a repository, with which the paths of its operations begin. */
export function toRepoPath(params: RepoParams): ApiPath {
  return apiPath`/repos/${toFullName(params)}`;
}

/** Owner and repository as two segments. */
export function toFullName({ owner, repo }: RepoParams): ApiPath {
  checkName("owner", owner);
  checkName("repo", repo);
  return apiPath`${{ input: "owner", text: owner }}/${{ input: "repo", text: repo }}`;
}

/** A file's path as segments, which are escaped separately. */
export function toSegments(input: string, text: string): PathInput {
  return { input, text: text.split("/") };
}

/** A branch as segments. `refs/heads/fix` is refused, because it would create a branch with that name. */
export function toBranchSegments(input: string, branch: string): PathInput {
  if (!branch.startsWith("refs/")) return toSegments(input, branch);
  const name = branch.replace(/^refs\/(heads\/)?/, "");
  throw new InvalidInputError(
    input,
    `must be only the branch's name, such as ${name}. Nothing was sent.`,
  );
}

/** Models write "owner/repo" into either input, for which the host only answers 404. */
function checkName(input: string, text: string): void {
  if (!text.includes("/")) return;
  throw new InvalidInputError(
    input,
    'must be a name alone, without "/": of octocat/hello-world, owner is octocat and repo is hello-world. Nothing was sent.',
  );
}

function toEscaped(part: Part): string {
  if (typeof part === "number" || typeof part === "bigint") return part.toString();
  if ("escaped" in part) return part.escaped;
  const { input, text } = part;
  const segments = typeof text === "string" ? [text] : text;
  return segments.map((segment) => escapeSegment(input, segment)).join("/");
}

function escapeSegment(input: string, text: string): string {
  if (text === "") return refuse(input, "is empty or contains an empty part between slashes");
  return toPathPart(text, (problem) => refuse(input, problem));
}

function refuse(input: string, problem: string): never {
  throw new InvalidInputError(input, `${problem}. Nothing was sent.`);
}
