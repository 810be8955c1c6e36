import { isJsonObject, suggest } from "@hub/connector";
import { joinPath, type KeywordCheck, type Validation } from "./validation.ts";

/** Keywords of objects. */
export const objectKeywords: { [keyword: string]: KeywordCheck } = {
  required({ spend }, { required }, value, path) {
    if (!isJsonObject(value) || !Array.isArray(required)) return null;
    spend(required.length);
    const missing = required.find((name) => !Object.hasOwn(value, name));
    return missing === undefined ? null : { path: joinPath(path, missing), message: "is required" };
  },
  minProperties: ({ listNames }, { minProperties }, value, path) =>
    isJsonObject(value) && listNames(value).length < Number(minProperties)
      ? { path, message: `must have at least ${minProperties} members` }
      : null,
  maxProperties: ({ listNames }, { maxProperties }, value, path) =>
    isJsonObject(value) && listNames(value).length > Number(maxProperties)
      ? { path, message: `must have at most ${maxProperties} members` }
      : null,
  dependentRequired({ spend, listNames }, { dependentRequired }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(dependentRequired)) return null;
    for (const name of listNames(dependentRequired)) {
      spend(2);
      const needed = dependentRequired[name];
      if (!Object.hasOwn(value, name) || !Array.isArray(needed)) continue;
      spend(needed.length);
      const missing = needed.find((other) => !Object.hasOwn(value, other));
      if (missing === undefined) continue;
      return { path: joinPath(path, missing), message: `is required together with ${name}` };
    }
    return null;
  },
  dependentSchemas({ check, listNames }, { dependentSchemas }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(dependentSchemas)) return null;
    for (const name of listNames(dependentSchemas)) {
      const isOwn = Object.hasOwn(value, name);
      const problem = isOwn ? check(dependentSchemas[name], value, path) : null;
      if (problem !== null) return problem;
    }
    return null;
  },
  propertyNames({ check, listNames }, { propertyNames }, value, path) {
    if (!isJsonObject(value)) return null;
    for (const name of listNames(value)) {
      const problem = check(propertyNames, name, joinPath(path, name));
      if (problem !== null) return { ...problem, message: `has a name that ${problem.message}` };
    }
    return null;
  },
  properties({ check, listNames }, { properties }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(properties)) return null;
    for (const name of listNames(value)) {
      if (!Object.hasOwn(properties, name)) continue;
      const problem = check(properties[name], value[name], joinPath(path, name));
      if (problem !== null) return problem;
    }
    return null;
  },
  patternProperties({ check, matches, listNames }, { patternProperties }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(patternProperties)) return null;
    for (const [pattern, schema] of Object.entries(patternProperties)) {
      for (const name of listNames(value)) {
        if (!matches(pattern, name)) continue;
        const problem = check(schema, value[name], joinPath(path, name));
        if (problem !== null) return problem;
      }
    }
    return null;
  },
  additionalProperties(validation, schema, value, path) {
    if (!isJsonObject(value)) return null;
    const { check, matches, listNames } = validation;
    const { additionalProperties, properties, patternProperties } = schema;
    const known = isJsonObject(properties) ? properties : {};
    const patterns = isJsonObject(patternProperties) ? listNames(patternProperties) : [];
    for (const name of listNames(value)) {
      if (Object.hasOwn(known, name)) continue;
      if (patterns.some((pattern) => matches(pattern, name))) continue;
      const memberPath = joinPath(path, name);
      const problem = check(additionalProperties, value[name], memberPath);
      if (problem === null) continue;
      if (additionalProperties !== false) return problem;
      return {
        path: memberPath,
        message: describeUnknown(validation, name, listNames(known)),
      };
    }
    return null;
  },
};

/** A schema with more names is read, not listed. */
const namesListed = 20;

/** Comparing a name with another one takes about as long as some steps. */
const stepsPerName = 4;

function describeUnknown(
  { spend, spendChars }: Validation,
  name: string,
  names: readonly string[],
): string {
  for (const known of names) spendChars(known.length * stepsPerName);
  spend(names.length * stepsPerName);
  const nearest = suggest(name, names);
  if (nearest !== "") return `is not known here.${nearest}`;
  if (names.length === 0) return "is not known here; nothing is";
  const rest = names.length > namesListed ? ` or ${names.length - namesListed} more` : "";
  return `is not known here; use one of ${names.slice(0, namesListed).join(", ")}${rest}`;
}
