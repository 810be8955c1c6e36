import { isOfInstallation, type ThisHub } from "./this-hub.ts";

/** Revokes the token of a removed entry if the installation created it. Returns notes for the user. */
export async function endToken({ tokens, program }: ThisHub, text: string): Promise<string[]> {
  const token = (await tokens?.find(text)) ?? null;
  if (tokens === null || token === null || token.revoked_at !== null) return [];
  if (!isOfInstallation(token)) {
    return [
      `The token "${token.name}" of ${token.user} stays valid. To revoke it, run: ${program} token revoke ${token.id}`,
    ];
  }
  await tokens.revoke(token.id);
  return ["The token of the entry was revoked."];
}
