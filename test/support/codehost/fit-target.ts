import type { SentRequest } from "../recording-host.ts";
import { describedRequests } from "./described-requests.ts";
import type { Params } from "./operation-case.ts";

/** Those whose value may hold slashes that part it. */
const longVariables = new Set(["path", "ref"]);

/** The request of the code host's description that this one is; null when it is none of them. */
export function findDescribed(method: string, path: string): string | null {
  const matches = describedRequests.filter(
    (request) => request.startsWith(`${method} `) && toPattern(request).test(path),
  );
  // `releases/latest` is told from `releases/{release_id}` by its fewer variables.
  matches.sort((a, b) => a.split("{").length - b.split("{").length);
  return matches[0] ?? null;
}

/**
 * Why a request is not the one that the inputs stand for, or null when it is: every variable of its
 * path has to be an input as it was given, and escaped so that it stays in its place.
 */
export function findMisfit(described: string, sent: SentRequest, given: Params): string | null {
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
    const meant = listMeant(described, variable, given);
    if (!meant.some((each) => isSame(value, each))) return `${variable} is ${value.slice(0, 100)}`;
  }
  for (const [name, value] of new URLSearchParams(query)) {
    const meant = given[name === "ref" ? findRefInput(given) : name] || defaults[name];
    if (meant === undefined) return `a parameter ${name}`;
    if (!isSame(value, String(meant))) return `${name} is ${value.slice(0, 100)}`;
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

/** The file is looked up on the branch that it is written to. */
const findRefInput = (given: Params) => (given.ref === undefined ? "branch" : "ref");

function listMeant(described: string, variable: string, given: Params): string[] {
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

/** What stands around a value names nothing; half a character is one that cannot be written. */
function isSame(value: string, meant: string): boolean {
  const forms = [meant.toWellFormed(), meant.trim(), meant.replace(/^\/+|\/+$/g, "")];
  return forms.includes(value);
}

function toPattern(request: string): RegExp {
  const [, template = ""] = request.split(" ");
  const source = template.replace(/\{(\w+)\}/g, (_, name) =>
    longVariables.has(name) ? `(?<${name}>[^?#]+)` : `(?<${name}>[^/?#]+)`,
  );
  return new RegExp(`^${source}$`);
}
