import {
  type CallTools,
  isBelow,
  OutboundError,
  readRequestedWait,
  toBytesText,
  UpstreamError,
} from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { AccessTokens } from "./authentication/access-tokens.ts";
import { findCredential } from "./authentication/find-credential.ts";
import type { OpenApiConfig } from "./openapi-config-fields.ts";
import { readServer } from "./requests/find-base-url.ts";

/** Some APIs of a thousand operations have documents of 13 MiB. */
const documentBytesMax = 16 * 1024 * 1024;

type Context = Pick<CallTools, "fetch" | "mask" | "signal"> & {
  config: OpenApiConfig;
  rowId: string;
};

/** Loads the row's document. Only a document below the row's base URL gets its credentials. */
export async function fetchDocument(tokens: AccessTokens, ctx: Context): Promise<Uint8Array> {
  const { config } = ctx;
  if (!config.DocumentURL) {
    throw new HubError(
      "needs_setup",
      "This row has no document. An admin can set document_url, or give the document as a file.",
    );
  }
  const url = new URL(config.DocumentURL);
  // A row whose servers are still to be chosen has none.
  const base = config.BaseURL ? readServer("base_url", config.BaseURL) : null;
  const headers = new Headers({
    accept: "application/json, application/yaml, text/yaml, */*;q=0.1",
  });
  if (base !== null && isBelow(url, base) && (config.AuthMode !== "api_key" || config.KeyName)) {
    const credential = await findCredential(tokens, ctx, undefined);
    if (credential?.in === "header") headers.set(credential.name, credential.value);
    if (credential?.in === "query") url.searchParams.set(credential.name, credential.value);
    if (credential?.in === "cookie") {
      headers.set("cookie", `${credential.name}=${credential.value}`);
    }
  }
  const response = await ctx.fetch(url, { headers, credentialsBelow: base ?? url });
  if (response.status !== 200) {
    await response.body?.cancel();
    const waitS = readRequestedWait(response, { now: Date.now() });
    throw new UpstreamError(
      `The server answered the request for the document with ${response.status}. Check its address.`,
      { httpStatus: response.status, ...(waitS !== null && { retryAfterS: waitS }) },
    );
  }
  // It may never end. The SSE address of an MCP server is often taken for a document.
  if (/^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "")) {
    await response.body?.cancel();
    throw new UpstreamError("The address answers with a stream of events, not with a document.");
  }
  return await readBytes(response);
}

async function readBytes(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.byteLength;
      checkDocumentBytes(bytes);
      chunks.push(chunk);
    }
  } catch (thrown) {
    // The limit of all answers, whose advice is for calls.
    if (thrown instanceof OutboundError && thrown.code === "body_too_large") {
      checkDocumentBytes(Number.POSITIVE_INFINITY);
    }
    throw thrown;
  }
  return new Uint8Array(Bun.concatArrayBuffers(chunks));
}

/** Throws `upstream_error` for a document that is too large. */
export function checkDocumentBytes(bytes: number): void {
  if (bytes <= documentBytesMax) return;
  throw new HubError(
    "upstream_error",
    `The document is larger than ${toBytesText(documentBytesMax)}. Give a smaller one.`,
  );
}
