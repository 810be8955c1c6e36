import type { AdmitDeps } from "./admit-deps.ts";

/** The page of a pending call. */
export function toCallUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/approvals/calls/${id}`;
}

/** Null if no server runs. */
export async function findCallUrl(
  deps: Pick<AdmitDeps, "findBaseUrl">,
  id: string,
): Promise<string | null> {
  const baseUrl = await deps.findBaseUrl();
  return baseUrl === null ? null : toCallUrl(baseUrl, id);
}
