const networkFaults =
  /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ConnectionRefused|failed to download|download|network|unable to connect/i;

/** One sentence or two on why a plugin could not be built, for a person at the terminal. */
export function describeBuildFailure(cause: unknown): string {
  const reason = (cause instanceof Error ? cause.message : String(cause)).trim();
  if (!networkFaults.test(reason)) return reason;
  const last = reason.split("\n").findLast((line) => line.trim() !== "") ?? "";
  return `Bun's runtime for it has to be downloaded from the npm registry, and that failed: ${last.trim().replace(/\.$/, "")}. Run \`npm run plugins\` again with a network. Thin plugins need none.`;
}
