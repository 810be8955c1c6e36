import { join, resolve } from "node:path";
import type { Json } from "@hub/connector";

const generated = resolve(import.meta.dirname, "../node_modules/@octokit/openapi/generated");

/** `METHOD /path/{template}` of each request that may leave. */
export type DescribedRequest = string;

export type DocumentedAnswer = { status: number; body?: Json };

export type Description = {
  /** A document with these requests alone, for a checker that would take long to read all of it. */
  toDocument(requests: readonly DescribedRequest[]): Json;
  /** Which of them a request is; null when it is none. */
  findRequest(method: string, path: string): DescribedRequest | null;
  /** The example that stands beside the request's first answer of success. */
  findAnswer(request: DescribedRequest): DocumentedAnswer;
  /** The names that a query may have. */
  listQuery(request: DescribedRequest): string[];
  /** The members that a body may have. */
  listBody(request: DescribedRequest): string[];
};

// biome-ignore lint/suspicious/noExplicitAny: the document's form is the checker's to hold.
type Node = any;

/** GitHub's own OpenAPI description: of the public host, or of an enterprise server's release. */
export async function readDescription(
  edition: "api.github.com" | "ghes-3.19",
  requests: readonly DescribedRequest[],
): Promise<Description> {
  const source: Node = await Bun.file(join(generated, `${edition}.json`)).json();

  function follow(node: Node): Node {
    const isReference = typeof node?.$ref === "string";
    return isReference ? follow(findReferred(source, node.$ref)) : node;
  }
  function findOperation(request: DescribedRequest): Node {
    const [method = "", path = ""] = request.split(" ");
    const operation = source.paths[path]?.[method.toLowerCase()];
    if (operation === undefined) throw new Error(`${edition} does not describe ${request}.`);
    return operation;
  }
  const listParameters = (request: DescribedRequest): Node[] =>
    (findOperation(request).parameters ?? []).map(follow);
  const findBody = (request: DescribedRequest): Node =>
    follow(findOperation(request).requestBody)?.content["application/json"]?.schema;

  const patterns = requests.map((request) => {
    const isLong = (name: string) =>
      listParameters(request).some((each) => each.name === name && each["x-multi-segment"]);
    const [method = "", path = ""] = request.split(" ");
    const parts = path
      .split("/")
      .map((part) =>
        part.replace(/\{(\w+)\}/g, (_, name) => (isLong(name) ? "[^?#]+" : "[^/?#]+")),
      );
    return { request, method, pattern: new RegExp(`^${parts.join("/")}$`) };
  });

  return {
    toDocument(requests) {
      const paths: Record<string, Node> = {};
      for (const request of requests) {
        const [method = "", path = ""] = request.split(" ");
        for (const { template, parameters } of toTemplates(path, listParameters(request))) {
          paths[template] ??= {};
          paths[template][method.toLowerCase()] = {
            parameters: parameters.map(takeAnyForm),
            ...(findOperation(request).requestBody && {
              requestBody: follow(findOperation(request).requestBody),
            }),
            // Requests are checked here; how an emulator answers is its own affair.
            responses: { default: { description: "Any answer." } },
          };
        }
      }
      const document = { openapi: source.openapi, info: source.info, paths };
      return makeCheckable({ ...document, components: collectReferred(source, paths) });
    },
    findRequest(method, path) {
      const found = patterns.filter((each) => each.method === method && each.pattern.test(path));
      // `releases/latest` is told from `releases/{release_id}` by its fewer variables.
      found.sort((a, b) => a.request.split("{").length - b.request.split("{").length);
      return found[0]?.request ?? null;
    },
    findAnswer(request) {
      const responses = Object.entries<Node>(findOperation(request).responses);
      const [status, response] = pickSuccess(responses.map(([code, node]) => [code, follow(node)]));
      const examples = Object.values<Node>(response.content?.["application/json"]?.examples ?? {});
      if (examples.length === 0) return { status };
      const { value } = follow(examples[0]);
      // One example stands in a second wrapping, beside what a later version will change in it.
      const isWrapped = follow(value)["x-github-breaking-changes"] !== undefined;
      return { status, body: isWrapped ? follow(value).value : follow(value) };
    },
    listQuery: (request) =>
      listParameters(request)
        .filter((each) => each.in === "query")
        .map((each) => each.name),
    listBody: (request) => listMembers(follow, findBody(request)),
  };
}

/** An answer without a body where there is one: the other needs a parameter that we never send. */
function pickSuccess(responses: Array<[string, Node]>): [number, Node] {
  const successes = responses.filter(([code]) => code.startsWith("2"));
  const picked = successes.find(([code]) => code === "204") ?? successes[0];
  if (picked === undefined) throw new Error("An operation has no answer of success.");
  return [Number(picked[0]), picked[1]];
}

function listMembers(follow: (node: Node) => Node, schema: Node): string[] {
  const node = follow(schema);
  if (node === undefined) return [];
  const parts = [...(node.oneOf ?? []), ...(node.anyOf ?? []), ...(node.allOf ?? [])];
  return [
    ...Object.keys(node.properties ?? {}),
    ...parts.flatMap((part) => listMembers(follow, part)),
  ];
}

/** In an address a number is a text, too: what may be either is never exactly one of both. */
function takeAnyForm(parameter: Node): Node {
  const { oneOf, ...schema } = parameter.schema;
  return oneOf === undefined ? parameter : { ...parameter, schema: { ...schema, anyOf: oneOf } };
}

/** A last variable that may hold slashes stands for one to three parts: the checker knows none. */
function toTemplates(
  path: string,
  parameters: Node[],
): Array<{ template: string; parameters: Node[] }> {
  const last = parameters.find(
    (each) => each["x-multi-segment"] && path.endsWith(`{${each.name}}`),
  );
  if (last === undefined) return [{ template: path, parameters }];
  return [1, 2, 3].map((length) => {
    const more = Array.from({ length: length - 1 }, (_, at) => `${last.name}_${at + 2}`);
    return {
      template: [path, ...more.map((name) => `{${name}}`)].join("/"),
      parameters: [...parameters, ...more.map((name) => ({ ...last, name }))],
    };
  });
}

function findReferred(source: Node, reference: string): Node {
  return reference
    .slice("#/".length)
    .split("/")
    .reduce((node, part) => node[part.replaceAll("~1", "/").replaceAll("~0", "~")], source);
}

function collectReferred(source: Node, paths: Node): Node {
  const components: Record<string, Record<string, Node>> = {};
  const seen = new Set<string>();
  function visit(node: Node): void {
    if (typeof node !== "object" || node === null) return;
    for (const [key, value] of Object.entries<Node>(node)) {
      if (key !== "$ref" || typeof value !== "string") visit(value);
      else if (!seen.has(value)) {
        seen.add(value);
        const [, , kind = "", name = ""] = value.split("/");
        components[kind] ??= {};
        components[kind][name] = findReferred(source, value);
        visit(components[kind][name]);
      }
    }
  }
  visit(paths);
  return components;
}

/**
 * The checker passes every body of a schema that says `nullable` without a type, because it cannot
 * compile it, and says nothing. Without the word it checks; a null there would then be reported.
 */
function makeCheckable(node: Node): Node {
  if (Array.isArray(node)) return node.map(makeCheckable);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries<Node>(node).filter(
    ([key]) => key !== "nullable" || node.type !== undefined,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, makeCheckable(value)]));
}
