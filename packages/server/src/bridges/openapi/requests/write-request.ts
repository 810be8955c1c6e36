import {
  decodePath,
  holdsDotSegment,
  InvalidInputError,
  isBelow,
  toJsonText,
} from "@hub/connector";
import { findHeaderProblem } from "../../../connectors/builtin/http/request-headers.ts";
import type { Credential } from "../authentication/find-credential.ts";
import type { Binding, ParameterBinding } from "../binding.ts";
import { escapeUri } from "./to-texts.ts";
import { type WrittenBody, writeBody } from "./write-body.ts";
import {
  escapeUnreserved,
  listQueryPairs,
  writeHeaderValue,
  writePairs,
  writePathValue,
} from "./write-parameter.ts";

export type WrittenRequest = { url: URL; headers: Headers; body: WrittenBody | null };

type RequestValues = {
  server: URL;
  params: Record<string, unknown>;
  headers: Headers;
  credential: Credential | null;
  idempotencyKey?: string | undefined;
};

/** More than servers accept in the first line of a request. */
const urlCharsMax = 64 * 1024;

/** The request of a call, by its operation's binding. Throws InvalidInputError. */
export function writeRequest(binding: Binding, given: RequestValues): WrittenRequest {
  const { params, headers, credential } = given;
  const url = writeUrl(binding, given);
  if (binding.accept !== undefined && !headers.has("accept")) headers.set("accept", binding.accept);
  for (const { parameter, value } of listPresent(binding, params, "header")) {
    setHeader(headers, parameter, value);
  }
  const key = findIdempotencyHeader(binding);
  if (key !== null && given.idempotencyKey !== undefined && !headers.has(key)) {
    headers.set(key, given.idempotencyKey);
  }
  const cookies = writeCookies(binding, given);
  if (cookies !== "") headers.set("cookie", cookies);
  if (credential?.in === "header") headers.set(credential.name, credential.value);
  const body = binding.body === undefined ? null : writeBody(binding.body, params);
  if (body !== null) headers.set("content-type", body.contentType);
  return { url, headers, body };
}

function writeUrl(binding: Binding, { server, params, credential }: RequestValues): URL {
  const path = writePath(binding, params);
  const root = server.pathname.replace(/\/+$/, "");
  const url = new URL(server);
  url.pathname = root + path;
  url.search = writeQuery(binding, params, credential);
  // A second check, in case the URL parser disagrees with the checks of the parts.
  if (url.pathname !== root + path || !isBelow(url, server)) refuseEscape("");
  if (url.href.length > urlCharsMax) {
    throw new InvalidInputError("", `make an address of more than ${urlCharsMax} characters`);
  }
  return url;
}

type PathValues = ReadonlyMap<string, { parameter: ParameterBinding; value: unknown }>;

function listPathValues(binding: Binding, params: Record<string, unknown>): PathValues {
  return new Map(
    listPresent(binding, params, "path").map((one) => [one.parameter.name, one] as const),
  );
}

/** Each value is escaped alone, so it is one part of the path, whatever it contains. */
function fillTemplate(template: string, values: PathValues): string {
  return template.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const found = values.get(name);
    const text = found === undefined ? "" : writePathValue(found.parameter, found.value);
    const input = found?.parameter.input ?? name;
    if (text === "")
      throw new InvalidInputError(input, "must not be empty: it is a part of the path");
    return text;
  });
}

function writePath(binding: Binding, params: Record<string, unknown>): string {
  const values = listPathValues(binding, params);
  const path = fillTemplate(binding.path, values);
  // As a whole, because two values beside each other could be two dots together.
  if (leadsUpwards(path)) {
    const found = [...values.values()].find(({ parameter, value }) =>
      leadsUpwards(writePathValue(parameter, value)),
    );
    refuseEscape(found?.parameter.input ?? "");
  }
  return toUrlPath(path);
}

function leadsUpwards(path: string): boolean {
  const decoded = decodePath(path);
  return decoded === null || holdsDotSegment(decoded);
}

/** The document's own characters as a URL has them. Values are already escaped. */
function toUrlPath(path: string): string {
  return new URL(`http://host${path}`).pathname;
}

function refuseEscape(input: string): never {
  throw new InvalidInputError(
    input,
    'must not contain "." or ".." as a part of the path: calls stay below the server\'s address',
  );
}

function writeQuery(
  binding: Binding,
  params: Record<string, unknown>,
  credential: Credential | null,
): string {
  const names = new Set(credential?.in === "query" ? [credential.name] : []);
  const fixed = listFixedPairs(binding, params);
  const texts = listPresent(binding, params, "query").map(({ parameter, value }) => {
    if (parameter.json === true) {
      names.add(parameter.name);
      return writePairs(escapeUri, [
        { name: parameter.name, values: [toJsonText(value)], separator: "" },
      ]);
    }
    const pairs = listQueryPairs(parameter, value);
    names.add(parameter.name);
    // The members of an object become names of the query. Attack: one with a name that the path has would make another
    // operation of it.
    const taken = pairs.find(
      ({ name }) => name !== parameter.name && fixed.some((one) => one.name === name),
    );
    if (taken !== undefined) {
      throw new InvalidInputError(
        parameter.input,
        "has a member with the name of a value that the operation sets; leave it out",
      );
    }
    if (credential?.in === "query" && pairs.some(({ name }) => name === credential.name)) {
      throw new InvalidInputError(
        parameter.input,
        "has the parameter that the row sets; leave it out",
      );
    }
    return writePairs(parameter.allowReserved === true ? escapeUnreserved : escapeUri, pairs);
  });
  const own =
    credential?.in === "query"
      ? [`${escapeUri(credential.name)}=${escapeUri(credential.value)}`]
      : [];
  // A parameter of the call or of the row comes before the value in the document's path.
  const sent = fixed.flatMap(({ name, pair }) => (names.has(name) ? [] : [pair]));
  return [...own, ...sent, ...texts].filter((text) => text !== "").join("&");
}

/** The names and values that the document's path has in its query. */
function listFixedPairs(
  binding: Binding,
  params: Record<string, unknown>,
): { name: string; pair: string }[] {
  if (binding.query === undefined) return [];
  const values = listPathValues(binding, params);
  return binding.query.split("&").map((template) => {
    const pair = new URL(`http://host/?${fillTemplate(template, values)}`).search.slice(1);
    const [name = ""] = new URLSearchParams(pair).keys();
    return { name, pair };
  });
}

function setHeader(headers: Headers, parameter: ParameterBinding, value: unknown): void {
  const text = writeHeaderValue(parameter, value);
  const problem = findHeaderProblem(parameter.name, text);
  if (problem !== null)
    throw new InvalidInputError(parameter.input, problem.replace("have", "has"));
  headers.set(parameter.name, text);
}

function writeCookies(binding: Binding, { params, credential }: RequestValues): string {
  const texts = listPresent(binding, params, "cookie").flatMap(({ parameter, value }) => {
    const pairs = listQueryPairs(parameter, value);
    return pairs.map((pair) => writePairs(escapeUri, [pair]));
  });
  const own = credential?.in === "cookie" ? [`${credential.name}=${credential.value}`] : [];
  return [...own, ...texts].join("; ");
}

function findIdempotencyHeader({ parameters }: Binding): string | null {
  const found = parameters.find(
    (one) => one.in === "header" && one.name.toLowerCase() === "idempotency-key",
  );
  return found?.name ?? null;
}

/** The parameters of one place that the call has. */
function listPresent(
  { parameters }: Binding,
  params: Record<string, unknown>,
  place: ParameterBinding["in"],
): { parameter: ParameterBinding; value: unknown }[] {
  return parameters.flatMap((parameter) => {
    if (parameter.in !== place || !Object.hasOwn(params, parameter.input)) return [];
    const value = params[parameter.input];
    return value === undefined || value === null ? [] : [{ parameter, value }];
  });
}
