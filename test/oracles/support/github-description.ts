import { join, resolve } from "node:path";
import type { Json } from "@hub/connector";

const generated = resolve(import.meta.dirname, "../node_modules/@octokit/openapi/generated");

/** `METHOD /path/{template}` of an allowed request. */
export type DescribedRequest = string;

export type DocumentedAnswer = { status: number; body?: Json };

export type Description = {
  /** A document with only these requests, because a checker reads the whole document slowly. */
  toDocument(requests: readonly DescribedRequest[]): Json;
  /** The described request that matches; null if none matches. */
  findRequest(method: string, path: string): DescribedRequest | null;
  /** The example of the first successful answer. */
  findAnswer(request: DescribedRequest): DocumentedAnswer;
  /** The allowed names of query parameters. */
  listQuery(request: DescribedRequest): string[];
  /** The allowed members of the body. */
  listBody(request: DescribedRequest): string[];
};

// biome-ignore lint/suspicious/noExplicitAny: the checker validates the document.
type Node = any;

/** Reads GitHub's OpenAPI description of the public host or of a release of the enterprise server. */
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
            // Only requests are checked, not the answers of an emulator.
            responses: { default: { description: "Any answer." } },
          };
        }
      }
      const document = { openapi: source.openapi, info: source.info, paths };
      return makeCheckable({ ...document, components: collectReferred(source, paths) });
    },
    findRequest(method, path) {
      const found = patterns.filter((each) => each.method === method && each.pattern.test(path));
      // `releases/latest` also matches `releases/{release_id}`; the match with fewer variables is correct.
      found.sort((a, b) => a.request.split("{").length - b.request.split("{").length);
      return found[0]?.request ?? null;
    },
    findAnswer(request) {
      const responses = Object.entries<Node>(findOperation(request).responses);
      const [status, response] = pickSuccess(responses.map(([code, node]) => [code, follow(node)]));
      const examples = Object.values<Node>(response.content?.["application/json"]?.examples ?? {});
      if (examples.length === 0) return { status };
      const { value } = follow(examples[0]);
      // One example is wrapped in another object that also lists changes of a later version.
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

/** Selects an answer without a body if one exists, because the other needs a parameter that we do not send. */
function pickSuccess(responses: Array<[string, Node]>): [number, Node] {
  const successes = responses.filter(([code]) => code.startsWith("2"));
  const picked = successes.find(([code]) => code === "204") ?? successes[0];
  if (picked === undefined) throw new Error("An operation has no successful answer.");
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

/** Replaces oneOf by anyOf: a number in an address is also a text, so it matches both schemas. */
function takeAnyForm(parameter: Node): Node {
  const { oneOf, ...schema } = parameter.schema;
  return oneOf === undefined ? parameter : { ...parameter, schema: { ...schema, anyOf: oneOf } };
}

/** Expands a last variable that may contain slashes into one to three parts, because the checker cannot. */
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
 * Removes `nullable` from schemas without a type. The checker cannot compile them, and silently accepts
 * every body. Without the keyword it checks the body, and would report null.
 */
function makeCheckable(node: Node): Node {
  if (Array.isArray(node)) return node.map(makeCheckable);
  if (typeof node !== "object" || node === null) return node;
  const entries = Object.entries<Node>(node).filter(
    ([key]) => key !== "nullable" || node.type !== undefined,
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, makeCheckable(value)]));
}
