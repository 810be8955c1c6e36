import type { ApiError } from "./api-error.ts";

/** What is wrong with each field, from a refusal. */
export function toIssues({ detail }: Pick<ApiError, "detail">): Record<string, string> {
  const { issues } = detail;
  if (!Array.isArray(issues)) return {};
  const found = issues.flatMap((issue: unknown) => {
    const { path, message } = Object(issue);
    if (typeof path !== "string" || typeof message !== "string") return [];
    // `values.base_url` and `headers[0].name` belong to a field.
    const key = path.replace(/^(?:values|params)\./, "").replace(/[.[].*$/, "");
    const text = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
    return [[key, /[.!?]$/.test(text) ? text : `${text}.`] as const];
  });
  return Object.fromEntries(found);
}
