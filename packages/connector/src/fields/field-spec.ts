/** The type a field's value has once it is read. Rows of a `kvlist` or `picker` are `json`. */
export type FieldBase = "text" | "integer" | "float" | "boolean" | "json";

/** How a settings page shows a field. `datetime` is HTML's `datetime-local`. */
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
 * How an encrypted value that stands within a text is written when it is opened, so that it stays
 * one value there: `percent` percent-encoded; `path` likewise, but a text that is one encrypted value as a whole as it
 * is; `form` percent-encoded where the call's content type is that of a form; `list` as it is, and
 * refused where it has a comma.
 */
export type FieldEmbedding = "percent" | "path" | "form" | "list";

/** `hint` goes on from the field's key: `must end in /api/v3`. */
export type FieldPattern = { pattern: string; hint: string };

/** One tagged field, read. Plain data: it survives JSON, so that a plugin can send it. */
export type FieldSpec = {
  /** The name its author wrote, such as `BaseURL`. */
  name: string;
  /** The name on the wire and in the store, such as `base_url`: `[a-z0-9_]{1,64}`. */
  key: string;
  base: FieldBase;
  widget: FieldWidget;
  /** What a `dropdown` offers. */
  options?: string[];
  /** Columns of a `kvlist`; of a `picker`, always `id` and `name`. */
  columns?: string[];
  /** What a `picker` looks its items up in. */
  source?: string;
  /** The operation whose `{html}` an `html` widget shows. */
  htmlOp?: string;
  description?: string;
  /** The value of the field while it is not set, as text of the tag, checked against the field. */
  default?: string;
  required: boolean;
  secret: boolean;
  locked: boolean;
  regen: boolean;
  hidden: boolean;
  /**
   * Its widget describes a value and does not refuse one: no format is checked, and what is no text
   * goes into a text field as JSON. So it is for the inputs of version-1 plugins.
   */
  lenient?: true;
  visibleWhen?: VisibleWhen;
  /** What texts of the field are made of, where values stand within them. */
  embed?: FieldEmbedding;
  /** What a text has to match to be saved, with the words of a refusal. */
  pattern?: FieldPattern;
  /** Locks the workflow editor's Fixed/Expression toggle. */
  mode?: "fixed" | "expression";
  group?: FieldGroup;
};

/** One thing wrong with one value: `path` names it (`headers[0].name`), `message` says what to do. */
export type Issue = { path: string; message: string };

/** Values by wire key. */
export type ValuesByKey = Record<string, unknown>;
