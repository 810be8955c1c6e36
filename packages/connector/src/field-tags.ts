import type { FieldBase } from "./fields/field-spec.ts";
import type { Integer } from "./fields/number-value.ts";
import type { TagValue } from "./fields/tag-value.ts";

declare const valueType: unique symbol;

/** A tagged field of a record. Its tag is read when the record is given to a definition. */
export type Field<Value = unknown> = {
  readonly base: FieldBase;
  readonly tag: string;
  /** Never set. It only carries the value's type. */
  readonly [valueType]?: Value;
};

/** A record of tagged fields: a connector's configuration or an operation's inputs. */
export type FieldRecord = Record<string, Field>;

/** The values of a record of fields, by field name. */
export type FieldValues<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends Field<infer Value> ? Value : never;
};

/**
 * A text field, or a field of its widget's type: `checkbox` is a boolean, `number` a number,
 * `kvlist` and `picker` are arrays. The grammar is in docs/reference/field-tags.md. A malformed tag
 * throws when the connector is defined.
 *
 * @example
 * const config = {
 *   BaseURL: wick("url;required;desc=Where the tracker answers"), // string
 *   AuthMode: wick("dropdown=basic|token;default=basic"), // "basic" | "token"
 *   Headers: wick("kvlist=name|value"), // {name: string; value: string}[] | undefined
 * };
 */
export function wick<const Tag extends string = "">(tag?: Tag): Field<TagValue<Tag, string>> {
  return { base: "text", tag: tag ?? "" };
}

/** A field of whole numbers of any size. */
wick.int = <const Tag extends string = "">(tag?: Tag): Field<TagValue<Tag, Integer>> => ({
  base: "integer",
  tag: tag ?? "",
});

/** A field of numbers, with or without a fraction. */
wick.float = <const Tag extends string = "">(tag?: Tag): Field<TagValue<Tag, number>> => ({
  base: "float",
  tag: tag ?? "",
});

/** A field that is on or off. */
wick.bool = <const Tag extends string = "">(tag?: Tag): Field<TagValue<Tag, boolean>> => ({
  base: "boolean",
  tag: tag ?? "",
});

/**
 * A field of any JSON value. Numbers that a JavaScript number cannot represent exactly are
 * `JSON.rawJSON` objects; `toJsonText` writes them unchanged.
 */
wick.json = (tag = ""): Field<unknown> => ({ base: "json", tag });
