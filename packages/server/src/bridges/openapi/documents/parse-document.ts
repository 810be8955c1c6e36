import { isJsonObject } from "@hub/connector";
import { findJsonExcess } from "../../../lib/json/scan-json.ts";
import { readYaml, type YamlOptions } from "../../../lib/yaml/read-yaml.ts";
import { YamlFault } from "../../../lib/yaml/yaml-fault.ts";
import { upgradeSwagger } from "./swagger-2/upgrade-swagger.ts";

/** Why a document cannot be read: a sentence for the admin. */
export class DocumentFault extends Error {
  override readonly name = "DocumentFault";
}

const depthMax = 200;
const valuesMax = 3_000_000;

const yamlOptions: YamlOptions = {
  noun: "document",
  advice: "Give a smaller one.",
  marksMax: 6_000_000,
  valuesMax,
  depthMax,
  admitsDuplicates: true,
  keepsDigits: false,
};

/**
 * Parses JSON or YAML to a document of OpenAPI 3. Swagger 2 is upgraded. Nothing is read from
 * elsewhere. Throws a DocumentFault.
 */
export function parseDocument(text: string): Record<string, unknown> {
  const document = parseText(text.replace(/^\uFEFF/, ""));
  if (!isJsonObject(document)) throw new DocumentFault("The document is not an object.");
  const { openapi, swagger } = document;
  if (typeof openapi === "string" && /^3\.[0-2](\.|$)/.test(openapi)) return document;
  if (String(swagger) === "2.0" || swagger === 2) {
    const upgraded = upgradeSwagger(document);
    if (upgraded !== null) return upgraded;
    throw new DocumentFault(
      "The document is Swagger 2, and has a part of a wrong kind, such as a text in place of an object. Correct it.",
    );
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
    return readYaml(text, yamlOptions).value;
  } catch (thrown) {
    if (!(thrown instanceof YamlFault)) throw thrown;
    throw new DocumentFault(thrown.toText());
  }
}

function toTooManyValues(): DocumentFault {
  return new DocumentFault(`The document has more than ${valuesMax.toLocaleString("en")} values.`);
}
