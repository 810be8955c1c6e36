import type { Integer } from "./number-value.ts";

/** A row of a `kvlist`. It has every column; a missing value is `""`. */
type Row<Column extends string> = Record<Column, string>;

/** A picked item. */
export type PickedItem = { id: string; name: string };

type Backslash = "\uE000";
type Semicolon = "\uE001";

/** Replaces the two escapes of a tag, left to right, so that every remaining `;` is a separator. */
type HideEscapes<Tag extends string> = HideText<HideText<Tag, "\\\\", Backslash>, "\\;", Semicolon>;

/** `Done` collects the result: the compiler allows long recursion only as tail recursion. */
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

/** The type of a set value. `Value` is the type without a widget. */
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
 * The type of a field's value, from its tag: the widget selects the type, and `required` and
 * `default=` remove `undefined`. The connector must read a required field with a `visible_when`
 * only while its condition is met, because otherwise it may be missing. The type of a tag that is
 * not a literal is `unknown`.
 */
export type TagValue<
  Tag extends string,
  Value extends string | Integer | boolean,
> = string extends Tag
  ? unknown
  :
      | SetValue<Attributes<Tag>, Value>
      | (Has<AlwaysSet, Attributes<Tag>> extends true ? never : undefined);
