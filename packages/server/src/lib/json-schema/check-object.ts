import { isJsonObject, suggest } from "@hub/connector";
import { joinPath, type KeywordCheck } from "./validation.ts";

/** Keywords of objects. */
export const objectKeywords: { [keyword: string]: KeywordCheck } = {
  required({ spend }, { required }, value, path) {
    if (!isJsonObject(value) || !Array.isArray(required)) return null;
    spend(required.length);
    const missing = required.find((name) => !Object.hasOwn(value, name));
    return missing === undefined ? null : { path: joinPath(path, missing), message: "is required" };
  },
  minProperties: (_, { minProperties }, value, path) =>
    isJsonObject(value) && Object.keys(value).length < Number(minProperties)
      ? { path, message: `must have at least ${minProperties} members` }
      : null,
  maxProperties: (_, { maxProperties }, value, path) =>
    isJsonObject(value) && Object.keys(value).length > Number(maxProperties)
      ? { path, message: `must have at most ${maxProperties} members` }
      : null,
  dependentRequired(_, { dependentRequired }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(dependentRequired)) return null;
    for (const [name, needed] of Object.entries(dependentRequired)) {
      if (!Object.hasOwn(value, name) || !Array.isArray(needed)) continue;
      const missing = needed.find((other) => !Object.hasOwn(value, other));
      if (missing === undefined) continue;
      return { path: joinPath(path, missing), message: `is required together with ${name}` };
    }
    return null;
  },
  dependentSchemas({ check }, { dependentSchemas }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(dependentSchemas)) return null;
    for (const [name, schema] of Object.entries(dependentSchemas)) {
      const problem = Object.hasOwn(value, name) ? check(schema, value, path) : null;
      if (problem !== null) return problem;
    }
    return null;
  },
  propertyNames({ check }, { propertyNames }, value, path) {
    if (!isJsonObject(value)) return null;
    for (const name of Object.keys(value)) {
      const problem = check(propertyNames, name, joinPath(path, name));
      if (problem !== null) return { ...problem, message: `has a name that ${problem.message}` };
    }
    return null;
  },
  properties({ check }, { properties }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(properties)) return null;
    for (const [name, member] of Object.entries(value)) {
      if (!Object.hasOwn(properties, name)) continue;
      const problem = check(properties[name], member, joinPath(path, name));
      if (problem !== null) return problem;
    }
    return null;
  },
  patternProperties({ check, matches }, { patternProperties }, value, path) {
    if (!isJsonObject(value) || !isJsonObject(patternProperties)) return null;
    for (const [pattern, schema] of Object.entries(patternProperties)) {
      for (const [name, member] of Object.entries(value)) {
        if (!matches(pattern, name)) continue;
        const problem = check(schema, member, joinPath(path, name));
        if (problem !== null) return problem;
      }
    }
    return null;
  },
  additionalProperties({ check, matches }, schema, value, path) {
    if (!isJsonObject(value)) return null;
    const { additionalProperties, properties, patternProperties } = schema;
    const known = isJsonObject(properties) ? properties : {};
    const patterns = isJsonObject(patternProperties) ? Object.keys(patternProperties) : [];
    for (const [name, member] of Object.entries(value)) {
      if (Object.hasOwn(known, name)) continue;
      if (patterns.some((pattern) => matches(pattern, name))) continue;
      const memberPath = joinPath(path, name);
      const problem = check(additionalProperties, member, memberPath);
      if (problem === null) continue;
      if (additionalProperties !== false) return problem;
      return {
        path: memberPath,
        message: describeUnknown(name, Object.keys(known)),
      };
    }
    return null;
  },
};

/** A schema with more names is read, not listed. */
const namesListed = 20;

function describeUnknown(name: string, names: readonly string[]): string {
  const nearest = suggest(name, names);
  if (nearest !== "") return `is not known here.${nearest}`;
  if (names.length === 0) return "is not known here; nothing is";
  const rest = names.length > namesListed ? ` or ${names.length - namesListed} more` : "";
  return `is not known here; use one of ${names.slice(0, namesListed).join(", ")}${rest}`;
}
