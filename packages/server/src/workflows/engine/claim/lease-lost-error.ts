/** Another process has taken over the run, so this one must not go on with it. */
export class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
}
