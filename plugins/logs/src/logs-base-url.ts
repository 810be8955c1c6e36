import { SetupError, toBaseUrl } from "@hub/connector";

/** The address of the host. A path would precede the host's paths, so requests would go to unknown addresses. */
export function toHostUrl(saved: string | undefined): string {
  const base = toBaseUrl(saved);
  const { origin } = new URL(base);
  if (base === origin) return origin;
  throw new SetupError(`base_url must be scheme and host only, such as ${origin}`);
}
