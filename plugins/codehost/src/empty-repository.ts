import { UpstreamError } from "@hub/connector";

/** The advice for a repository without a commit. */
export const emptyAdvice =
  "The repository has no commits yet. Write a first file with create_or_update_file, without branch, then call again.";

const emptyMessage = /\brepository is empty\b/i;

/** Whether the host says that a repository has no commits. Hosts answer 404 or 409 for most reads of it. */
export const saysEmpty = (hostMessage: string): boolean => emptyMessage.test(hostMessage);

export function isEmptyRepository(thrown: unknown): boolean {
  return (
    thrown instanceof UpstreamError &&
    (thrown.httpStatus === 404 || thrown.httpStatus === 409) &&
    saysEmpty(thrown.message)
  );
}
