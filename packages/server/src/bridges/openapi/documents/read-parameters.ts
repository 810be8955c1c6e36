import { isJsonObject } from "@hub/connector";
import { isRefusedHeader } from "../../../connectors/builtin/http/request-headers.ts";
import type { Binding, ParameterBinding } from "../binding.ts";
import { LeftOut } from "./left-out.ts";
import type { References } from "./references.ts";

type Part = Record<string, unknown>;

export type Parameter = {
  binding: ParameterBinding;
  schema: unknown;
  isRequired: boolean;
  description: string;
};

type ParameterSources = { item: Part; operation: Part; apiKey: Binding["apiKey"] | null };

/** By OpenAPI, parameters with these names are ignored: other parts of the document describe them. */
const otherHeaders = new Set(["accept", "authorization", "content-type"]);

/**
 * The parameters of an operation: its own, and those of its path that it does not replace. Two of
 * the same name in different places get different inputs.
 */
export function readParameters(
  references: References,
  { item, operation, apiKey }: ParameterSources,
): Parameter[] {
  const found = new Map<string, Part>();
  for (const given of [...toList(item.parameters), ...toList(operation.parameters)]) {
    const parameter = references.resolve(given);
    if (typeof parameter.name === "string")
      found.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const taken = new Set<string>();
  const parameters: Parameter[] = [];
  for (const parameter of found.values()) {
    const read = readParameter(parameter, taken);
    if (read === null || isApiKey(read.binding, apiKey)) continue;
    taken.add(read.binding.input);
    parameters.push(read);
  }
  return parameters;
}

function readParameter(parameter: Part, taken: ReadonlySet<string>): Parameter | null {
  const { style, explode, allowReserved, description, required } = parameter;
  const name = String(parameter.name);
  const place = parameter.in;
  if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie")
    return null;
  if (place === "header" && (otherHeaders.has(name.toLowerCase()) || isRefusedHeader(name))) {
    return null;
  }
  if (name === "__proto__") return null;
  const content = isJsonObject(parameter.content)
    ? Object.entries(parameter.content)[0]
    : undefined;
  const media = content !== undefined && isJsonObject(content[1]) ? content[1] : null;
  return {
    binding: {
      input: toInputName(name, place, taken),
      name,
      in: place,
      ...(typeof style === "string" && { style }),
      ...(typeof explode === "boolean" && { explode }),
      ...(allowReserved === true && { allowReserved }),
      ...(content !== undefined && { json: true }),
    },
    schema: (media === null ? parameter.schema : media.schema) ?? {},
    isRequired: place === "path" || required === true,
    description: typeof description === "string" ? description.trim() : "",
  };
}

function toInputName(name: string, place: string, taken: ReadonlySet<string>): string {
  for (const input of [name, `${name}_${place}`]) if (!taken.has(input)) return input;
  throw new LeftOut("It has too many parameters of the same name.");
}

/** The row sends it, so a call does not. */
function isApiKey(binding: ParameterBinding, apiKey: Binding["apiKey"] | null): boolean {
  if (apiKey === null || apiKey === undefined || binding.in !== apiKey.in) return false;
  return binding.in === "header"
    ? binding.name.toLowerCase() === apiKey.name.toLowerCase()
    : binding.name === apiKey.name;
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
