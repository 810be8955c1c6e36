import {
  defineRowConnector,
  type FoundServer,
  type Health,
  OutboundError,
  UpstreamError,
} from "@hub/connector";
import type { AnswerBudget, DiscoverCall } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { createAccessTokens } from "./authentication/access-tokens.ts";
import { findCredential } from "./authentication/find-credential.ts";
import { createDocumentReader } from "./documents/document-reader.ts";
import { type OpenDocumentWorker, openDocumentWorker } from "./documents/open-document-worker.ts";
import type { DocumentServer } from "./documents/read-servers.ts";
import { checkDocumentBytes, fetchDocument } from "./fetch-document.ts";
import { configFields, type OpenApiConfig } from "./openapi-config-fields.ts";

/** What the hub adds to the context of its own connectors. */
export type OpenApiExtra = Pick<DiscoverCall, "describe"> & {
  rowId: string;
  memory?: AnswerBudget;
};

export type OpenApiDeps = {
  timers: Timers;
  now?: () => number;
  openWorker?: OpenDocumentWorker;
};

/** The log has this many of the operations that are left out. */
const loggedMax = 20;

/** Calls any API that an OpenAPI document describes: one row is one document. */
export function createOpenApiConnector({
  timers,
  now = Date.now,
  openWorker = openDocumentWorker,
}: OpenApiDeps) {
  const documents = createDocumentReader({ openWorker, timers });
  const tokens = createAccessTokens({ now });
  return defineRowConnector<OpenApiExtra>()({
    key: "openapi",
    name: "OpenAPI",
    icon: "api",
    tier: "builtin",
    description:
      "Calls an API that an OpenAPI document describes: each of its operations becomes an operation of the row.",
    config: configFields,
    operations: "by row",
    async discover(ctx) {
      const { config, document, log, signal, leaveOut, describe } = ctx;
      if (document !== undefined) checkDocumentBytes(document.length);
      const given = document ?? (await fetchDocument(tokens, ctx));
      const options = { describes: describe !== undefined };
      const found = await documents.read(given, toFilters(config), signal, options);
      if (found.about !== null) {
        const servers = found.about.servers.map((one) => toFoundServer(config.DocumentURL, one));
        describe?.({ ...found.about, servers });
      }
      if (found.leftOutCount > 0) {
        const first = found.leftOut.slice(0, loggedMax);
        log.warn("operations left out", { count: found.leftOutCount, first });
      }
      for (const { sourceName, reason, count } of found.leftOut)
        leaveOut(sourceName, reason, count);
      if (found.operations.length > 0) return found.operations;
      const [first] = found.leftOut;
      throw new UpstreamError(
        first === undefined
          ? "The document has no operations that fit tags, paths and methods of the row."
          : `None of the document's ${found.leftOutCount} operations can be used. The first one: ${first.reason}`,
      );
    },
    async findServers(ctx) {
      const { document, signal } = ctx;
      // Safe: without `base_url`, which may still be missing, no other required field is read.
      const config = ctx.config as OpenApiConfig;
      if (document !== undefined) checkDocumentBytes(document.length);
      const given = document ?? (await fetchDocument(tokens, { ...ctx, config }));
      const servers = await documents.readServers(given, signal);
      return servers.map((server) => toFoundServer(config.DocumentURL, server));
    },
    async run(ctx) {
      // Loaded on first use.
      const { sendCall } = await import("./send-call.ts");
      return await sendCall(tokens, ctx);
    },
    async health(ctx): Promise<Health> {
      try {
        const credential = await findCredential(tokens, ctx, { in: "header", name: "x-api-key" });
        const headers = new Headers();
        if (credential?.in === "header") headers.set(credential.name, credential.value);
        const base = new URL(ctx.config.BaseURL);
        const response = await ctx.fetch(base, { headers, credentialsBelow: base });
        await response.body?.cancel();
        // Many APIs refuse their base address with 403 whatever the credentials.
        if (response.status === 401 && ctx.config.AuthMode !== "none") {
          return { ok: false, reason: "The server refused the credentials (status 401)." };
        }
        return response.status < 500
          ? { ok: true }
          : { ok: false, reason: `The server failed (status ${response.status}).` };
      } catch (thrown) {
        const isExpected = [OutboundError, HubError, UpstreamError].some(
          (type) => thrown instanceof type,
        );
        if (!isExpected || !(thrown instanceof Error)) throw thrown;
        return { ok: false, reason: thrown.message };
      }
    },
  });
}

/** A relative address is below that of the document. Variables have their defaults. */
function toFoundServer(
  documentUrl: string | undefined,
  { url, variables = {}, isShared }: DocumentServer,
): FoundServer {
  const text = url.replace(/\{([^{}]*)\}/g, (whole, name: string) =>
    Object.hasOwn(variables, name) ? (variables[name] ?? whole) : whole,
  );
  const address = URL.parse(text, documentUrl || undefined);
  const isUsable = address !== null && /^https?:$/.test(address.protocol) && !/[{}]/.test(text);
  return { url, address: isUsable ? address.href : null, isShared };
}

function toFilters({ Tags, Paths, Methods }: OpenApiConfig) {
  const trim = (texts: string[]) => texts.map((text) => text.trim()).filter((text) => text !== "");
  return {
    tags: trim((Tags ?? []).map(({ tag }) => tag)),
    paths: trim((Paths ?? []).map(({ path }) => path)),
    methods: trim((Methods ?? []).map(({ method }) => method)),
  };
}
