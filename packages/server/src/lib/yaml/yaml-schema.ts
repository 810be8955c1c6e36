import {
  CORE_SCHEMA,
  defineMappingTag,
  defineScalarTag,
  intCoreTag,
  mapTag,
  mergeTag,
  type Schema,
} from "js-yaml";

/** As JSON has it: "yes" and "012" in quotes are texts, and there are no dates. `<<` merges, as in other parsers. */
export const roundingSchema: Schema = CORE_SCHEMA.withTags(mergeTag);

const wholeNumber = /^([-+]?)0*(\d+)$/;

/** The same, but whole numbers beyond 2^53 keep their digits, as raw JSON. */
export const digitsSchema: Schema = roundingSchema.withTags(
  defineScalarTag("tag:yaml.org,2002:int", {
    ...intCoreTag,
    resolve(source, isExplicit, tagName) {
      const [, sign, digits = ""] = wholeNumber.exec(source) ?? [];
      if (digits.length <= 15) return intCoreTag.resolve(source, isExplicit, tagName);
      const text = `${sign === "-" ? "-" : ""}${digits}`;
      return Number.isSafeInteger(Number(text)) ? Number(text) : JSON.rawJSON(text);
    },
  }),
  defineMappingTag("tag:yaml.org,2002:map", {
    ...mapTag,
    addPair: (map, key, value) => mapTag.addPair(map, toKey(key), value),
    has: (map, key) => mapTag.has(map, toKey(key)),
  }),
);

function toKey(key: unknown): unknown {
  return JSON.isRawJSON(key) ? key.rawJSON : key;
}
