import type { Operation } from "../corpus-file.ts";
import { operationsMax, type Service } from "./services.ts";

const methods = ["get", "post", "put", "patch", "delete"] as const;
const nameCharsMax = 80;
/** A sentence up to this length can be a name. */
const sentenceCharsMax = 60;
const descriptionCharsMax = 320;
const keyCharsMax = 64;
const inputsMax = 40;

/** The operations of one OpenAPI document, in the words of its author. */
export function readDocuments(service: Service, documents: readonly unknown[]): Operation[] {
  const all = documents.flatMap((document) => listPaths(document, service.paths ?? /^/));
  // A stable sort keeps the order of the document.
  const usual = all.toSorted((a, b) => countParts(a.path) - countParts(b.path));
  const byKey = new Map<string, Operation>();
  for (const listed of usual) {
    if (byKey.size === (service.max ?? operationsMax)) break;
    const operation = toOperation(service, listed);
    // Some documents have the same operation once for each HTTP method.
    if (operation !== null && !byKey.has(operation.key)) byKey.set(operation.key, operation);
  }
  return [...byKey.values()];
}

type Members = Record<string, unknown>;
type ListedOperation = {
  path: string;
  method: string;
  spec: Members;
  parameters: unknown[];
  document: unknown;
};

function listPaths(document: unknown, wanted: RegExp): ListedOperation[] {
  return Object.entries(toMembers(toMembers(document).paths)).flatMap(([path, item]) => {
    if (!wanted.test(path)) return [];
    const members = toMembers(item);
    return methods
      .filter((method) => method in members)
      .map((method) => {
        const spec = toMembers(members[method]);
        const parameters = [...toArray(members.parameters), ...toArray(spec.parameters)];
        return { path, method, spec, parameters, document };
      });
  });
}

/** `/repos/{owner}/{repo}` is one part: its parameters say only which. */
function countParts(path: string): number {
  return path.split(/[/#]/).filter((part) => part !== "" && !part.startsWith("{")).length;
}

function toOperation(service: Service, listed: ListedOperation): Operation | null {
  const { spec, method, path } = listed;
  // Generated documents have the name of a function here.
  const summary = toPlain(spec.summary).replace(/^\w+\(\)$/, "");
  const description = toPlain(spec.description);
  const id = toText(spec.operationId).replace(/^(GET|POST)_/, "");
  const idWords = toWords(id === "" ? `${method} ${path}` : id);
  const key = idWords.join("_").slice(0, keyCharsMax).replace(/_$/, "");
  const name = findName(summary, description, idWords);
  if (key === "" || name === "") return null;
  return {
    connector: service.connector,
    label: service.label,
    about: service.about,
    key,
    name,
    description: cutText([description, summary, name].find((text) => text !== "") ?? ""),
    inputs: listInputs(listed),
    ...(spec.deprecated === true && { deprecated: true }),
  };
}

/** The summary, else a short first sentence, else the words of the operation's id. */
function findName(summary: string, description: string, idWords: readonly string[]): string {
  const isWritten = summary !== "" && summary.length <= nameCharsMax;
  if (isWritten) return summary.replace(/\.$/, "");
  const sentence = (description.split(/\.(?= |$)/)[0] ?? "").trim();
  if (sentence !== "" && sentence.length <= sentenceCharsMax) return sentence;
  const words = idWords.join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function listInputs({ parameters, spec, document }: ListedOperation): string[] {
  const named = parameters
    .map((parameter) => toMembers(follow(document, parameter)))
    .filter((parameter) => parameter.in !== "header" && parameter.in !== "cookie")
    .map((parameter) => toText(parameter.name));
  const content = toMembers(toMembers(follow(document, spec.requestBody)).content);
  const body = toMembers(Object.values(content)[0]).schema;
  const keys = [...named, ...listProperties(document, body)].map((name) => toWords(name).join("_"));
  return [...new Set(keys)]
    .filter((key) => key !== "" && key.length <= keyCharsMax)
    .slice(0, inputsMax);
}

/** The members of an object's schema, also of its `allOf` parts. */
function listProperties(document: unknown, schema: unknown, depth = 0): string[] {
  if (depth > 4) return [];
  const members = toMembers(follow(document, schema));
  const parts = toArray(members.allOf);
  return [
    ...Object.keys(toMembers(members.properties)),
    ...parts.flatMap((part) => listProperties(document, part, depth + 1)),
  ];
}

/** The object that a `$ref` inside the document names. */
function follow(document: unknown, value: unknown): unknown {
  const ref = toMembers(value).$ref;
  if (typeof ref !== "string" || !ref.startsWith("#/")) return value;
  return ref
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((object, part) => toMembers(object)[part], document);
}

/** The words of a camel-case or separated name, in lower case. */
function toWords(name: string): string[] {
  return (
    name
      .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
      // Not before the plural of an acronym, as in `IDs`.
      .replaceAll(/([A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])/g, "$1 ")
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== "")
  );
}

/** Text without HTML and the links of Markdown, on one line. */
function toPlain(value: unknown): string {
  return toText(value)
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[*`]|\\(?=_)/g, "")
    .replaceAll("&nbsp;", " ")
    .replaceAll("&amp;", "&")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Cuts after the last whole sentence that fits, else after the last whole word. */
function cutText(text: string): string {
  if (text.length <= descriptionCharsMax) return text;
  const beginning = text.slice(0, descriptionCharsMax);
  const end = beginning.lastIndexOf(". ");
  return end > 0 ? beginning.slice(0, end + 1) : beginning.slice(0, beginning.lastIndexOf(" "));
}

function toMembers(value: unknown): Members {
  // The cast is safe: an object's members are unknown.
  return typeof value === "object" && value !== null ? (value as Members) : {};
}

function toArray(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toText(value: unknown): string {
  return typeof value === "string" ? value : "";
}
