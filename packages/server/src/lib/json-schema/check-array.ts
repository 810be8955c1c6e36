import { toComparable } from "./json-equal.ts";
import type { KeywordCheck, Validation } from "./validation.ts";

/** Keywords of arrays. */
export const arrayKeywords: { [keyword: string]: KeywordCheck } = {
  minItems: (_, { minItems }, value, path) =>
    Array.isArray(value) && value.length < Number(minItems)
      ? { path, message: `must have at least ${minItems} items` }
      : null,
  maxItems: (_, { maxItems }, value, path) =>
    Array.isArray(value) && value.length > Number(maxItems)
      ? { path, message: `must have at most ${maxItems} items` }
      : null,
  uniqueItems: (validation, { uniqueItems }, value, path) =>
    uniqueItems === true && Array.isArray(value) && !areUnique(validation, value)
      ? { path, message: "must not have equal items" }
      : null,
  prefixItems({ check }, { prefixItems }, value, path) {
    if (!Array.isArray(value) || !Array.isArray(prefixItems)) return null;
    for (const [index, schema] of prefixItems.entries()) {
      if (index >= value.length) return null;
      const problem = check(schema, value[index], `${path}[${index}]`);
      if (problem !== null) return problem;
    }
    return null;
  },
  items({ check }, { items, prefixItems }, value, path) {
    if (!Array.isArray(value)) return null;
    const start = Array.isArray(prefixItems) ? prefixItems.length : 0;
    for (let index = start; index < value.length; index += 1) {
      const problem = check(items, value[index], `${path}[${index}]`);
      if (problem !== null) return problem;
    }
    return null;
  },
  contains({ check }, { contains, minContains = 1, maxContains }, value, path) {
    if (!Array.isArray(value)) return null;
    const count = value.filter((item) => check(contains, item, path) === null).length;
    if (count < Number(minContains)) {
      return { path, message: `must have at least ${minContains} items of the kind in its schema` };
    }
    return maxContains !== undefined && count > Number(maxContains)
      ? { path, message: `must have at most ${maxContains} items of the kind in its schema` }
      : null;
  },
};

function areUnique(validation: Validation, items: readonly unknown[]): boolean {
  const seen = new Set<string>();
  for (const item of items) {
    const comparable = toComparable(validation, item);
    if (seen.has(comparable)) return false;
    seen.add(comparable);
  }
  return true;
}
