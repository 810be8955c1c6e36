import { isJsonObject } from "@hub/connector";
import { LeftOut } from "../left-out.ts";
import { createReferences, type References } from "../references.ts";
import { convertRequest } from "./convert-request.ts";

type Part = Record<string, unknown>;

const methods = ["get", "put", "post", "delete", "options", "head", "patch"];

/** The paths of a Swagger 2 document, with requests and answers as OpenAPI 3 has them. */
export function convertPaths(document: Part): Part {
  const references = createReferences(document);
  const paths = isJsonObject(document.paths) ? document.paths : {};
  return Object.fromEntries(
    Object.entries(paths).map(([path, given]) => [path, convertItem(references, document, given)]),
  );
}

/** What leads to nothing stays a reference, so that its operations are left out with the reason. */
function convertItem(references: References, document: Part, given: unknown): unknown {
  const item = follow(references, given);
  if (item === null) return given;
  const converted: [string, unknown][] = [];
  for (const method of methods) {
    if (!Object.hasOwn(item, method)) continue;
    const operation = follow(references, item[method]);
    if (operation === null) converted.push([method, keepReference(item[method])]);
    else converted.push([method, convertOperation(references, document, item, operation)]);
  }
  return Object.fromEntries(converted);
}

function convertOperation(
  references: References,
  document: Part,
  item: Part,
  { consumes, produces, ...operation }: Part,
): Part {
  const { parameters, requestBody } = convertRequest(references, {
    parameters: [...toList(item.parameters), ...toList(operation.parameters)],
    types: toTexts(consumes ?? document.consumes),
  });
  const answerTypes = toTexts(produces ?? document.produces);
  return {
    ...operation,
    parameters,
    ...(requestBody !== null && { requestBody }),
    ...(isJsonObject(operation.responses) && {
      responses: convertAnswers(operation.responses, answerTypes),
    }),
  };
}

/** A reference to an answer stays one. */
function convertAnswers(responses: Part, types: readonly string[]): Part {
  return Object.fromEntries(
    Object.entries(responses).flatMap(([status, answer]) => {
      if (!isJsonObject(answer)) return [];
      const { schema, examples: _examples, headers: _headers, ...others } = answer;
      if (schema === undefined) return [[status, others]];
      const used = types.length > 0 ? types : ["application/json"];
      const content = Object.fromEntries(used.map((type) => [type, { schema }]));
      return [[status, { ...others, content }]];
    }),
  );
}

function follow(references: References, given: unknown): Part | null {
  try {
    return isJsonObject(given) ? references.resolve(given) : null;
  } catch (thrown) {
    if (thrown instanceof LeftOut) return null;
    throw thrown;
  }
}

function keepReference(given: unknown): unknown {
  return isJsonObject(given) ? { $ref: given.$ref } : {};
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function toTexts(value: unknown): string[] {
  return toList(value).filter((one) => typeof one === "string");
}
