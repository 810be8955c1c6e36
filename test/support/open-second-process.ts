import { findFreePort } from "./free-port.ts";
import { type OAuthStage, openOAuthStage } from "./oauth-stage.ts";

/** Another process on the same data folder, and under the same name, as behind a load balancer. */
export async function openSecondProcess(
  first: OAuthStage,
): Promise<AsyncDisposable & { base: string }> {
  const port = await findFreePort();
  const env = { HUB_BASE_URL: first.base, HUB_PORT: String(port) };
  const stage = await openOAuthStage({ dataDir: first.hub.dataDir, env });
  // Cookies are for the host, whatever the port.
  return {
    base: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => stage[Symbol.asyncDispose](),
  };
}
