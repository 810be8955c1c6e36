import { createGuardedFetch, OutboundError, readRequestedWait } from "@hub/connector";
import { z } from "zod";
import { firstItems } from "../lib/json/first-items.ts";

/** An OpenAI-compatible endpoint for embeddings. */
export type EmbeddingsEndpoint = {
  /** One vector for each text, in their order. Throws an EmbeddingsError. */
  embed(texts: readonly string[], options: EmbedOptions): Promise<Float32Array[]>;
};

type EmbedOptions = { timeoutMs: number; signal: AbortSignal };

export type EndpointSettings = {
  /** The base address, such as `http://127.0.0.1:11434/v1`. */
  url: string;
  model: string;
  /** The key; null for an endpoint without one. A function, so that printing never shows it. */
  readKey: () => string | null;
};

type EmbeddingsErrorCode = "refused" | "timed_out" | "failed";

/**
 * Why there are no vectors. The message has no part of the answer, which may repeat a text or the
 * key.
 * - `refused`: the endpoint refuses these texts; others may work
 * - `timed_out`: the endpoint did not answer in time; fewer texts may work
 * - `failed`: the endpoint does not work now
 */
export class EmbeddingsError extends Error {
  override readonly name = "EmbeddingsError";
  readonly code: EmbeddingsErrorCode;
  /** How long the endpoint asks to wait; null if it does not say. */
  readonly retryAfterMs: number | null;

  constructor(
    code: EmbeddingsErrorCode,
    message: string,
    { retryAfterMs = null, cause }: { retryAfterMs?: number | null; cause?: unknown } = {},
  ) {
    super(message, { cause });
    this.code = code;
    this.retryAfterMs = retryAfterMs;
  }
}

/** More dimensions than any usual model has. */
const dimensionsMax = 4096;
/** A number of an answer has about 22 characters. */
const bytesPerText = dimensionsMax * 25;
const bytesBeside = 64 * 1024;
const retryAfterMsMax = 3_600_000;

/** Answers about the texts: too long, or not acceptable. All others are about the endpoint. */
const refusedStatuses = [400, 413, 422];

export function createEmbeddingsEndpoint({
  url,
  model,
  readKey,
}: EndpointSettings): EmbeddingsEndpoint {
  const address = toEmbeddingsAddress(url);
  const policy = { savedHosts: [address.host], allow: [] };

  return {
    async embed(texts, { timeoutMs, signal }) {
      const bodyBytesMax = bytesBeside + texts.length * bytesPerText;
      const fetch = createGuardedFetch({ policy, timeoutMs, bodyBytesMax, signal });
      const key = readKey();
      try {
        const response = await fetch(address, {
          method: "POST",
          // A redirect would take the texts and the key to an address that no admin gave.
          redirect: "manual",
          headers: {
            "content-type": "application/json",
            ...(key !== null && { authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify({ model, input: texts, encoding_format: "float" }),
        });
        if (response.status !== 200) {
          await response.body?.cancel();
          throw toStatusError(response);
        }
        return readVectors(await response.text(), texts.length);
      } catch (thrown) {
        throw toEmbeddingsError(thrown);
      }
    },
  };
}

/** `http://127.0.0.1:11434/v1` → `http://127.0.0.1:11434/v1/embeddings`. */
function toEmbeddingsAddress(url: string): URL {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, "");
  address.pathname = path.endsWith("/embeddings") ? path : `${path}/embeddings`;
  return address;
}

function toStatusError(response: Response): EmbeddingsError {
  const { status } = response;
  const message = `The embeddings endpoint answered with status ${status}`;
  if (refusedStatuses.includes(status)) return new EmbeddingsError("refused", `${message}.`);
  if (status >= 300 && status < 400) {
    const advice = "Redirects are not followed: set HUB_EMBEDDINGS_URL to the final address.";
    return new EmbeddingsError("failed", `${message}. ${advice}`);
  }
  if (status === 401 || status === 403) {
    return new EmbeddingsError("failed", `${message}. Check HUB_EMBEDDINGS_KEY.`);
  }
  if (status === 404) {
    const advice = "Check HUB_EMBEDDINGS_URL and HUB_EMBEDDINGS_MODEL.";
    return new EmbeddingsError("failed", `${message}. ${advice}`);
  }
  const waitS = readRequestedWait(response, { now: Date.now() });
  const retryAfterMs = waitS === null ? null : Math.min(waitS * 1000, retryAfterMsMax);
  return new EmbeddingsError("failed", `${message}.`, { retryAfterMs });
}

function toEmbeddingsError(thrown: unknown): EmbeddingsError {
  if (thrown instanceof EmbeddingsError) return thrown;
  const reason = thrown instanceof OutboundError ? thrown.message : "The request failed.";
  const isLate = thrown instanceof OutboundError && thrown.code === "timeout";
  return new EmbeddingsError(
    isLate ? "timed_out" : "failed",
    `The embeddings endpoint does not work. ${reason}`,
    {
      cause: thrown,
    },
  );
}

const answerSchema = z.object({
  data: firstItems(
    z.object({
      index: z.number().int().nonnegative().optional(),
      // The numbers are checked in one pass below, which is faster.
      embedding: z.custom<readonly unknown[]>(Array.isArray),
    }),
    Number.POSITIVE_INFINITY,
  ),
});

/** The vectors of an answer in the order of the texts. */
function readVectors(text: string, count: number): Float32Array[] {
  const parsed = answerSchema.safeParse(parseAnswer(text));
  if (!parsed.success) throw refuseAnswer("is not a list of embeddings");
  const { data } = parsed.data;
  if (data.length !== count) throw refuseAnswer(`has ${data.length} vectors for ${count} texts`);
  const dimensions = data[0]?.embedding.length ?? 0;
  if (dimensions === 0 || dimensions > dimensionsMax) {
    throw refuseAnswer(`has vectors of ${dimensions} numbers`);
  }
  const vectors = new Map<number, Float32Array>();
  for (const [at, { index = at, embedding }] of data.entries()) {
    if (embedding.length !== dimensions) throw refuseAnswer("has vectors of different sizes");
    vectors.set(index, toVector(embedding));
  }
  return Array.from({ length: count }, (_, at) => {
    const vector = vectors.get(at);
    if (vector === undefined) throw refuseAnswer("has no vector for some of the texts");
    return vector;
  });
}

function parseAnswer(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Throws for numbers without a direction: not finite, or all zero. */
function toVector(embedding: readonly unknown[]): Float32Array {
  const vector = new Float32Array(embedding.length);
  let squares = 0;
  for (let at = 0; at < embedding.length; at += 1) {
    const value = embedding[at];
    if (typeof value !== "number")
      throw refuseAnswer("has a vector with a value that is no number");
    vector[at] = value;
    squares += value * value;
  }
  if (!Number.isFinite(squares) || squares === 0)
    throw refuseAnswer("has a vector without a direction");
  return vector;
}

function refuseAnswer(fault: string): EmbeddingsError {
  return new EmbeddingsError("refused", `The answer of the embeddings endpoint ${fault}.`);
}
