import type { ApiError } from "../../../api/api-error.ts";
import { formatExact } from "../../../ui/text/format.ts";

/** What another user has changed in a draft, from the refusal of a save. Null for other failures. */
export function describeConflict(
  error: ApiError | null,
): { text: string; sentences: string[] } | null {
  if (error?.code !== "conflict") return null;
  const { saved_by: savedBy, saved_at: savedAt, difference } = error.detail;
  const email: unknown = Object(savedBy).email;
  const sentences: unknown = Object(difference).sentences;
  if (typeof email !== "string" || typeof savedAt !== "string") {
    return { text: error.message, sentences: [] };
  }
  return {
    text: `${email} saved it ${formatExact(savedAt)}:`,
    sentences: Array.isArray(sentences)
      ? sentences.filter((one) => typeof one === "string").slice(0, 20)
      : [],
  };
}
