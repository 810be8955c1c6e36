import type { Integer } from "./number-value.ts";

/** One row of a `kvlist`: every column is there, `""` when nothing was given. */
type Row<Column extends string> = Record<Column, string>;

/** An item that was picked. */
export type PickedItem = { id: string; name: string };

type Backslash = "\uE000";
type Semicolon = "\uE001";

/** Replaces the two escapes of a tag, left to right, so that every `;` left is a separator. */
type HideEscapes<Tag extends string> = HideText<HideText<Tag, "\\\\", Backslash>, "\\;", Semicolon>;

/** Carries what is done in `Done`: tail recursion is what the compiler can do at length. */
type HideText<
  Text,
  From extends string,
  To extends string,
  Done extends string = "",
> = Text extends `${infer Head}${From}${infer Tail}`
  ? HideText<Tail, From, To, `${Done}${Head}${To}`>
  : Text extends string
    ? `${Done}${Text}`
    : never;

type ShowEscapes<Text> = HideText<HideText<Text, Semicolon, ";">, Backslash, "\\">;

type Split<
  Text,
  Separator extends string,
  Done = never,
> = Text extends `${infer Head}${Separator}${infer Tail}`
  ? Split<Tail, Separator, Done | Head>
  : Done | Text;

type Space = " " | "\t" | "\r" | "\n";

type Trim<Text> = Text extends `${Space}${infer Rest}` | `${infer Rest}${Space}`
  ? Trim<Rest>
  : Text;

type TrimEach<Text> = Text extends string ? Trim<Text> : never;

/** The attributes of a tag as a union, such as `"url" | "required"`. */
type Attributes<Tag extends string> = TrimEach<Split<HideEscapes<Tag>, ";">>;

type Has<Attribute, Union> = Extract<Union, Attribute> extends never ? false : true;

type ListOf<Name extends string, Union> =
  Extract<Union, `${Name}=${string}`> extends `${Name}=${infer List}`
    ? ShowEscapes<Split<List, "|">>
    : never;

type ToggleTag = "checkbox" | "bool" | "boolean";

/** The type of a set value. `Value` is what the field holds without a widget that changes it. */
type SetValue<Union, Value> =
  Has<ToggleTag, Union> extends true
    ? boolean
    : Has<"number", Union> extends true
      ? Value extends string
        ? number
        : Value
      : Has<"kvlist", Union> extends true
        ? Row<"value">[]
        : Has<`kvlist=${string}`, Union> extends true
          ? Row<Extract<ListOf<"kvlist", Union>, string>>[]
          : Has<`picker=${string}`, Union> extends true
            ? PickedItem[]
            : Has<`dropdown=${string}`, Union> extends true
              ? Value extends string
                ? ListOf<"dropdown", Union>
                : Value
              : Value;

type AlwaysSet = "required" | `default=${string}`;

/**
 * The type of a field's value, read from its tag: the widget decides the type, `required` and
 * `default=` take `undefined` away. A required field with a `visible_when` is sure to be set only
 * while its condition holds, which is when its connector reads it. A tag that is not a literal
 * tells nothing, hence `unknown`.
 */
export type TagValue<
  Tag extends string,
  Value extends string | Integer | boolean,
> = string extends Tag
  ? unknown
  :
      | SetValue<Attributes<Tag>, Value>
      | (Has<AlwaysSet, Attributes<Tag>> extends true ? never : undefined);
