import { createGuardedFetch, type GuardedFetch } from "@hub/connector";
import { readClientMetadata } from "./client-metadata.ts";

const timeoutMs = 5000;
const bodyBytesMax = 16 * 1024;

/**
 * The fetch of client-ID metadata documents, whose address a stranger names. Public addresses only,
 * HUB_OUTBOUND_ALLOW or not: what an admin opened for connectors is not open to everybody. Nothing
 * is followed, and the document is read as a registration is.
 */
export function createDocumentFetch(
  fetch: GuardedFetch = createGuardedFetch({
    policy: { savedHosts: [], allow: [] },
    timeoutMs,
    connectTimeoutMs: timeoutMs,
    bodyBytesMax,
  }),
): (url: string) => Promise<Response> {
  return async (url) => {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "manual",
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      return new Response(null, { status: 400 });
    }
    const document: unknown = await response.json();
    const metadata = readClientMetadata(document);
    if ("error" in metadata) return new Response(null, { status: 400 });
    const clientId = Object(document).client_id;
    const headers = new Headers();
    for (const name of ["cache-control", "expires"]) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    return Response.json({ ...metadata, client_id: clientId }, { headers });
  };
}
