import { isJsonObject } from "@hub/connector";
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { CORE_SCHEMA, load, YAMLException } from "js-yaml";
import { findJsonExcess } from "../../../lib/scan-json.ts";

/** Why a document cannot be read: a sentence for the admin. */
export class DocumentFault extends Error {
  override readonly name = "DocumentFault";
}

const depthMax = 200;
const valuesMax = 3_000_000;
/** Real documents use few aliases, since `$ref` does the same. */
const aliasesMax = 1_000;

/**
 * Parses JSON or YAML to a document of OpenAPI 3. Swagger 2 is upgraded. Nothing is read from
 * elsewhere. Throws a DocumentFault.
 */
export function parseDocument(text: string): Record<string, unknown> {
  const document = parseText(text.replace(/^\uFEFF/, ""));
  if (!isJsonObject(document)) throw new DocumentFault("The document is not an object.");
  checkExpansion(document);
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && /^3\.[0-2](\.|$)/.test(openapi)) return document;
  if (String(swagger) === "2.0" || swagger === 2) {
    const upgraded: unknown = upgradeFromTwoToThree({ ...document, swagger: "2.0" });
    if (isJsonObject(upgraded)) return upgraded;
  }
  throw new DocumentFault(
    'The document has no "openapi" of 3.0, 3.1 or 3.2, and no "swagger" of 2.0. Give the address of the document itself, not of a page that shows it.',
  );
}

function parseText(text: string): unknown {
  if (/^\s*[[{]/.test(text)) {
    const excess = findJsonExcess(text, { depthMax, valuesMax });
    if (excess === "depth")
      throw new DocumentFault(`The document is nested deeper than ${depthMax} levels.`);
    if (excess === "values") throw toTooManyValues();
    try {
      return JSON.parse(text);
    } catch {
      // Text in braces can be YAML, too.
    }
  }
  return parseYaml(text);
}

function parseYaml(text: string): unknown {
  try {
    return load(text, {
      schema: CORE_SCHEMA,
      json: true,
      maxDepth: depthMax,
      maxAliases: aliasesMax,
    });
  } catch (thrown) {
    if (!(thrown instanceof YAMLException)) throw thrown;
    throw new DocumentFault(`The document is neither JSON nor YAML: ${thrown.reason}.`);
  }
}

/**
 * Attack: aliases of YAML that contain aliases multiply, so a short text becomes billions of values.
 * Counts them without visiting any twice, and refuses an alias that contains itself.
 */
function checkExpansion(document: unknown): void {
  const sizes = new Map<object, number>();
  const open = new Set<object>();

  function measure(value: unknown): number {
    if (typeof value !== "object" || value === null) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    if (open.has(value)) throw new DocumentFault("The document has an alias that contains itself.");
    open.add(value);
    let size = 1;
    for (const member of Object.values(value)) size += measure(member);
    open.delete(value);
    if (size > valuesMax) throw toTooManyValues();
    sizes.set(value, size);
    return size;
  }

  measure(document);
}

function toTooManyValues(): DocumentFault {
  return new DocumentFault(`The document has more than ${valuesMax.toLocaleString("en")} values.`);
}
