/** The meta-schema of draft 2020-12 whose vocabulary makes `format` an assertion. */
const formatAssertion = "https://json-schema.org/draft/2020-12/meta/format-assertion";

/**
 * Whether schemas of this dialect (`$schema`, or `jsonSchemaDialect` of a document) check formats. In all other
 * dialects `format` is a note: the system that described the input decides about its values.
 */
export function assertsFormats(dialect: unknown): dialect is string {
  return typeof dialect === "string" && dialect.replace(/#$/, "") === formatAssertion;
}
