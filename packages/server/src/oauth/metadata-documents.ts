import { createGuardedFetch, type GuardedFetch } from "@hub/connector";
import { readClientMetadata } from "./client-metadata.ts";

const timeoutMs = 5000;

/** Limits for responses of unknown servers. */
export const documentFetchLimits = {
  timeoutMs,
  connectTimeoutMs: timeoutMs,
  bodyBytesMax: 16 * 1024,
};

/**
 * Fetches client ID metadata documents, whose URLs come from strangers. Only public addresses are
 * allowed. HUB_OUTBOUND_ALLOW does not apply: it opens addresses for connectors, not for strangers.
 * Redirects are not followed, and the document is read like a registration. Rejects with a sentence
 * for users if there is no valid document.
 */
export function createDocumentFetch(
  fetch: GuardedFetch = createGuardedFetch({
    ...documentFetchLimits,
    policy: { savedHosts: [], allow: [] },
  }),
): (url: string) => Promise<Response> {
  return async (url) => {
    const response = await fetch(url, {
      headers: { accept: "application/json" },
      redirect: "manual",
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`Its server answered with status ${response.status}.`);
    }
    const document = await readDocument(response);
    const metadata = readClientMetadata(document);
    if ("error" in metadata) {
      throw new Error(`The document is not valid. ${metadata.error_description}`);
    }
    if (Object(document).client_id !== url) {
      throw new Error("The document is for another client_id.");
    }
    const headers = new Headers();
    for (const name of ["cache-control", "expires"]) {
      const value = response.headers.get(name);
      if (value !== null) headers.set(name, value);
    }
    return Response.json({ ...metadata, client_id: url }, { headers });
  };
}

async function readDocument(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("The document is not JSON.");
  }
}
