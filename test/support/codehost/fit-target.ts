import type { SentRequest } from "../recording-host.ts";
import { describedRequests } from "./described-requests.ts";
import type { Params } from "./operation-case.ts";

/** Variables whose value may contain slashes as separators. */
const longVariables = new Set(["path", "ref"]);

/** The described request that matches; null if none matches. */
export function findDescribed(method: string, path: string): string | null {
  const matches = describedRequests.filter(
    (request) => request.startsWith(`${method} `) && toPattern(request).test(path),
  );
  // `releases/latest` also matches `releases/{release_id}`; the match with fewer variables is correct.
  matches.sort((a, b) => a.split("{").length - b.split("{").length);
  return matches[0] ?? null;
}

/**
 * The reason why a request does not match the inputs, or null. Each variable of the path must equal an input,
 * and must be escaped so that it does not change the path.
 */
export function findMismatch(described: string, sent: SentRequest, given: Params): string | null {
  const [path = "", query = "", ...more] = sent.target.split("?");
  if (more.length > 0) return "a second question mark";
  for (const part of path.slice(1).split("/")) {
    if (part === "") return "an empty part";
    if (!/^([\w\-.~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})+$/.test(part)) return `unescaped: ${part}`;
    if (/^\.{1,2}$/.test(decodeURIComponent(part))) return "a part of dots";
  }
  const groups = toPattern(described).exec(path)?.groups ?? {};
  for (const [variable, text] of Object.entries(groups)) {
    const value = text.split("/").map(decodeURIComponent).join("/");
    const expected = listExpected(described, variable, given);
    if (!expected.some((each) => isEqual(value, each)))
      return `${variable} is ${value.slice(0, 100)}`;
  }
  for (const [name, value] of new URLSearchParams(query)) {
    const expected = given[name === "ref" ? findRefInput(given) : name] || defaults[name];
    if (expected === undefined) return `a parameter ${name}`;
    if (!isEqual(value, String(expected))) return `${name} is ${value.slice(0, 100)}`;
  }
  return null;
}

const defaults: Record<string, string> = {
  affiliation: "owner",
  visibility: "all",
  state: "open",
  per_page: "30",
  page: "1",
};

/** A file is looked up on the branch to which it is written. */
const findRefInput = (given: Params) => (given.ref === undefined ? "branch" : "ref");

function listExpected(described: string, variable: string, given: Params): string[] {
  const { base, head, branch, from_branch: fromBranch } = given;
  if (variable === "basehead") return [`${base}...${head}`];
  if (variable === "ref" && described.includes("/git/")) {
    return [branch, fromBranch, "main"].map((name) => `heads/${name}`);
  }
  const inputs: Record<string, string> = {
    ref: "sha",
    issue_number: "number",
    pull_number: "number",
  };
  return [String(given[inputs[variable] ?? variable])];
}

/** Ignores surrounding spaces and slashes. Half a character is sent as a replacement character. */
function isEqual(value: string, expected: string): boolean {
  const forms = [expected.toWellFormed(), expected.trim(), expected.replace(/^\/+|\/+$/g, "")];
  return forms.includes(value);
}

function toPattern(request: string): RegExp {
  const [, template = ""] = request.split(" ");
  const source = template.replace(/\{(\w+)\}/g, (_, name) =>
    longVariables.has(name) ? `(?<${name}>[^?#]+)` : `(?<${name}>[^/?#]+)`,
  );
  return new RegExp(`^${source}$`);
}
