import { findFreePort } from "./free-port.ts";
import { type OAuthFixture, openOAuthFixture } from "./oauth-fixture.ts";

/** Starts another process on the same data folder with the same base URL, as behind a load balancer. */
export async function openSecondProcess(
  first: OAuthFixture,
): Promise<AsyncDisposable & { base: string }> {
  const port = await findFreePort();
  const env = { HUB_BASE_URL: first.base, HUB_PORT: String(port) };
  const fixture = await openOAuthFixture({ dataDir: first.hub.dataDir, env });
  // Cookies belong to the host, not to the port.
  return {
    base: `http://localhost:${port}`,
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  };
}
