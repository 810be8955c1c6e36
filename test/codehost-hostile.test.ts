/**
 * Protects: hostile inputs, for example from prompt injection, cannot change which endpoint the connector
 * `codehost` calls with its credential. It sends the documented request or none.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { someOf } from "@hub/server/lib/testing/amount.ts";
import {
  type CodehostHub,
  type RunOperation,
  startCodehostHub,
} from "./support/codehost/codehost-hub.ts";
import { findDescribed, findMismatch } from "./support/codehost/fit-target.ts";
import type { Params } from "./support/codehost/operation-case.ts";
import { operationCases } from "./support/codehost/operation-cases.ts";
import {
  type AnswerRequest,
  type RecordingHost,
  startRecordingHost,
} from "./support/recording-host.ts";

setDefaultTimeout(180_000);

const token = "ghp_k3Xv9QmZ7tRb2WnL5yHd8FcJ4sPg6UeA1oTx";
const sha = "aa218f56b14c9653891f9e74264a383fa43fefbd";

/** These texts are tried in every input. */
const hostileTexts = [
  ...["../../user", "..", "a?b#c", "%2e%2e", "a b", "grüße-日本-🌍", "a\r\nX-Injected: 1", ""],
  ...[".", "a/../../b", "a//b", "a&per_page=1", "%2e%2e%2fuser", "%252e%252e", "a%00b", "a\u0000b"],
  ...[" ", "\ud800", "a\\..\\b", "//evil.example", "https://evil.example/", "@evil.example"],
  ...["main...evil", "refs/heads/../../../user", "x".repeat(10_000)],
];

/** Every operation puts owner and repo into its path by the same function. Two try all texts on it. */
const repoTexts = ["../../user", "a?b#c", "%2e%2e", ""];
const triesAllRepoTexts = new Set(["get_repo", "create_or_update_file"]);

/** The inputs that become part of the path or the query. */
const targetInputs = [
  ...["owner", "repo", "org", "sha", "base", "head", "branch", "from_branch", "workflow_id"],
  ...["path", "ref", "author", "affiliation", "visibility", "q"],
];

/** The operations without such inputs. */
const withoutTargets = new Set(["get_me"]);

/** The requests that an operation sends before its main request. */
const lookUps: Record<string, string[]> = {
  create_branch: ["GET /repos/{owner}/{repo}", "GET /repos/{owner}/{repo}/git/ref/{ref}"],
  create_or_update_file: ["GET /repos/{owner}/{repo}/contents/{path}"],
};

const owned = new AsyncDisposableStack();
let host: RecordingHost;
let codehost: CodehostHub;
let run: RunOperation;

beforeAll(async () => {
  host = owned.use(await startRecordingHost(answerMinimally));
  codehost = owned.use(await startCodehostHub());
  ({ run } = await codehost.addRow({ label: "Code", baseUrl: host.url, token }));
});
afterAll(() => owned.disposeAsync());

test.each(
  Object.keys(operationCases),
)("With hostile inputs, %s sends only its documented request or none (trap 32)", async (key) => {
  const operation = operationCases[key];
  if (operation === undefined) throw new Error(`There is no operation ${key}.`);
  const { minimal, full } = operation;
  const forms = key === "create_branch" ? [minimal.given, full.given] : [full.given];
  const allowed = [
    ...[...minimal.sends, ...full.sends].map(({ method, path }) => findDescribed(method, path)),
    ...(lookUps[key] ?? []),
  ];
  const inputs = forms.map((given) => ({ given, names: findTargetInputs(key, given) }));
  const count = inputs.flatMap(({ names }) => names).length;
  expect([key, count > 0]).toEqual([key, !withoutTargets.has(key)]);
  for (const { given, names } of inputs) {
    for (const input of names) {
      const isRepo = input === "owner" || input === "repo";
      const texts = isRepo && !triesAllRepoTexts.has(key) ? repoTexts : hostileTexts;
      for (const text of someOf(isRepo ? 1 : 3, texts)) {
        await checkHostile({ key, given: { ...given, [input]: text }, input, allowed });
      }
    }
  }
});

const wrongNumbers = ["7/../8", "7?x=1", "7#1", 1.5, "", " ", "seven", [7], { id: 7 }, true];

test.each([
  ["get_issue", "number"],
  ["merge_pr", "number"],
  ["delete_comment", "comment_id"],
  ["delete_release", "release_id"],
])("%s refuses a %s that is not an integer", async (key, input) => {
  for (const number of wrongNumbers) {
    host.takeSent();
    const answer = await run(key, { owner: "octocat", repo: "hello-world", [input]: number });
    const what = `${key} ${JSON.stringify(number)}`;
    expect(answer.isError, what).toBe(true);
    expect(answer.text, what).toContain(input);
    expect(host.takeSent(), what).toEqual([]);
  }
});

test("An id above 2^53 keeps its digits in the request", async () => {
  host.takeSent();
  const comment = { owner: "octocat", repo: "hello-world", comment_id: "9007199254740993" };
  await run("delete_comment", comment);
  expect(host.takeSent()[0]?.target).toEndWith("/comments/9007199254740993");
});

type HostileCall = { key: string; given: Params; input: string; allowed: Array<string | null> };

async function checkHostile({ key, given, input, allowed }: HostileCall): Promise<void> {
  const what = `${key} with ${input} ${JSON.stringify(given[input]).slice(0, 40)}`;
  host.takeSent();
  const answer = await run(key, given);
  const sent = host.takeSent();
  if (sent.length === 0) {
    // The error names the input, so that the caller can correct it.
    expect(answer.isError, what).toBe(true);
    expect(answer.value.code, `${what}: ${answer.text}`).toBe("invalid_params");
    expect(answer.text, what).toContain(input);
  }
  for (const request of sent) {
    const [path = ""] = request.target.split("?");
    const described = findDescribed(request.method, path);
    expect(allowed, `${what}: ${request.method} ${path.slice(0, 100)}`).toContain(described);
    expect(findMismatch(described ?? "", request, given), what).toBeNull();
    expect(request.headers, what).not.toHaveProperty("x-injected");
  }
}

function findTargetInputs(key: string, given: Params): string[] {
  const names = key === "remove_label" ? [...targetInputs, "name"] : targetInputs;
  return names.filter((name) => typeof given[name] === "string");
}

/** Answers each request with just enough for the operation's next request. */
function answerMinimally({
  method,
  target,
}: Parameters<AnswerRequest>[0]): ReturnType<AnswerRequest> {
  if (method !== "GET") return { status: 204 };
  const [path = ""] = target.split("?");
  if (path.includes("/git/ref/")) return { body: { ref: "refs/heads/x", object: { sha } } };
  if (path.includes("/contents/")) {
    const content = Buffer.from("Hello").toString("base64");
    return {
      body: { type: "file", encoding: "base64", size: 5, name: "x", path: "x", sha, content },
    };
  }
  if (path.startsWith("/search/") || path.includes("/actions/")) {
    const items = path.startsWith("/search/") ? "items" : (path.split("/").at(-1) ?? "");
    return { body: { total_count: 0, incomplete_results: false, [items]: [], workflow_runs: [] } };
  }
  if (/^\/(repos\/[^/]+\/[^/]+|user)$/.test(path))
    return { body: { id: 1, default_branch: "main" } };
  return { body: [] };
}
