/** The type of a field's parsed value. Rows of a `kvlist` or `picker` are `json`. */
export type FieldBase = "text" | "integer" | "float" | "boolean" | "json";

/** The widget of a field on a settings page. `datetime` is HTML's `datetime-local`. */
export type FieldWidget =
  | "text"
  | "textarea"
  | "dropdown"
  | "checkbox"
  | "number"
  | "secret"
  | "email"
  | "url"
  | "color"
  | "date"
  | "datetime"
  | "kvlist"
  | "picker"
  | "html";

/** Shows a field only while another field (its wire key) has one of the values, as text. */
export type VisibleWhen = { field: string; values: string[] };

/** The titled card that contains a field. */
export type FieldGroup = { title: string; description?: string; collapsed: boolean };

/**
 * How an opened value is written into a text, so that it stays one value. `percent`:
 * percent-encoded. `path`: percent-encoded, unless it is the whole text. `form`: percent-encoded if
 * the call's content type is a form. `list`: unchanged, and refused if it has a comma.
 */
export type FieldEmbedding = "percent" | "path" | "form" | "list";

/** `hint` completes a sentence that starts with the field's key: `must end in /api/v3`. */
export type FieldPattern = { pattern: string; hint: string };

/** A parsed field. It is plain data, so that plugins can send it as JSON. */
export type FieldSpec = {
  /** The name in the connector's source, such as `BaseURL`. */
  name: string;
  /** The name in requests and in the store, such as `base_url`: `[a-z0-9_]{1,64}`. */
  key: string;
  base: FieldBase;
  widget: FieldWidget;
  /** The options of a `dropdown`. */
  options?: string[];
  /** Columns of a `kvlist`; of a `picker`, always `id` and `name`. */
  columns?: string[];
  /** The source of a `picker`'s items. */
  source?: string;
  /** The operation whose `{html}` an `html` widget shows. */
  htmlOp?: string;
  description?: string;
  /** The default as text of the tag. It fits the field. */
  default?: string;
  required: boolean;
  secret: boolean;
  locked: boolean;
  regen: boolean;
  hidden: boolean;
  /** Of configuration: each user may have an own value, which is a part of an account of the user. */
  personal?: true;
  /**
   * The widget describes values and does not refuse any: formats are not checked, and a text field
   * accepts other values as JSON. For inputs of version-1 plugins.
   */
  lenient?: true;
  visibleWhen?: VisibleWhen;
  /** The format of the field's texts, for values inside them. */
  embed?: FieldEmbedding;
  /** The pattern that a saved text must match, and the message for a text that does not. */
  pattern?: FieldPattern;
  /** Disables the workflow editor's switch between a fixed value and an expression. */
  mode?: "fixed" | "expression";
  group?: FieldGroup;
};

/**
 * A problem with one value: `path` names the value (`headers[0].name`), `message` says what to do.
 */
export type Issue = { path: string; message: string };

/** Values by wire key. */
export type ValuesByKey = Record<string, unknown>;
