/** What to do about an error, by its code. The message says what went wrong. */
const advice: Record<string, string> = {
  not_found:
    "There is no such row or operation, or this user does not see it. Compare the tags of the user and of the row.",
  operation_disabled:
    "The operation is switched off or waits for a review. An admin switches it on among the operations of the row.",
  connector_disabled: "The row or its connector is switched off. An admin switches it on.",
  needs_setup: "The row lacks settings. An admin fills them in on the page of the row.",
  invalid_params:
    "The arguments do not fit the operation. Compare the request with the inputs of the operation.",
  token_invalid:
    "A sealed value does not open for this user or row. Read it again from where it came, and pass that one on.",
  rate_limited: "There were too many calls at once. Wait before the next try.",
  timeout:
    "The other system did not answer in time. Check the connection of the row, then try again.",
  upstream_error:
    "The other system refused the request or failed. Check the connection and the credentials of the row.",
  plugin_unavailable: "The plugin of the row does not run. The connector's page says why.",
  unavailable: "The hub could not do this at the time. Try again.",
  insufficient_storage: "The disk of the hub is full. Free space, then try again.",
  internal: "The fault is in the hub. Its log has details under the id of the call.",
};

/** What to do about an error; null if its message says all. */
export function findAdvice(code: string | null): string | null {
  return code === null ? null : (advice[code] ?? null);
}
