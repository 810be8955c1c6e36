/** The path to which authorization servers send browsers back, of all rows. */
export const connectCallbackPath = "/auth/connect/callback";

export function toRedirectUri(baseUrl: string): string {
  return `${baseUrl}${connectCallbackPath}`;
}
