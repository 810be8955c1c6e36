import { type EmbeddingsEndpoint, EmbeddingsError } from "./embeddings-endpoint.ts";
import type { EndpointHealth } from "./endpoint-health.ts";
import { type SmallVector, toSmallVector } from "./small-vector.ts";

/** The vectors of queries. */
export type QueryVectors = {
  /**
   * One vector for each text; null for those that are not there when `deadline` resolves. They are
   * there for the user's next search with the same text. Never rejects.
   */
  find(
    userId: string,
    texts: readonly string[],
    deadline: Promise<void>,
  ): Promise<Array<SmallVector | null>>;
  /** Cancels the current requests. */
  close(): Promise<void>;
};

type QueryVectorDeps = {
  endpoint: EmbeddingsEndpoint;
  health: EndpointHealth;
  /** Called with the size of each new vector. */
  onDimensions(dimensions: number): void;
};

/** Longer than a search waits: a late answer is for the next search. */
const requestMsMax = 10_000;
/** Concurrent requests of one user, and of all users. Further searches use words alone. */
const userRequestsMax = 4;
const requestsMax = 64;
/** Each user has a separate cache. A shared one would show what others searched for. */
const userTextsMax = 64;
const usersMax = 128;

type UserQueries = {
  cached: Map<string, SmallVector>;
  /** The open request for each text. */
  asked: Map<string, Promise<void>>;
  requests: number;
};

export function createQueryVectors(deps: QueryVectorDeps): QueryVectors {
  const { endpoint, health, onDimensions } = deps;
  const closing = new AbortController();
  const users = new Map<string, UserQueries>();
  const running = new Set<Promise<void>>();

  const findUser = (userId: string): UserQueries => {
    const user = users.get(userId) ?? { cached: new Map(), asked: new Map(), requests: 0 };
    putLast(users, userId, user, usersMax);
    return user;
  };

  async function ask(user: UserQueries, texts: readonly string[]): Promise<void> {
    try {
      const options = { timeoutMs: requestMsMax, signal: closing.signal };
      const vectors = await endpoint.embed(texts, options);
      health.recordSuccess();
      for (const [at, text] of texts.entries()) {
        const vector = vectors[at];
        if (vector === undefined) continue;
        putLast(user.cached, text, toSmallVector(vector), userTextsMax);
        onDimensions(vector.length);
      }
    } catch (thrown) {
      if (closing.signal.aborted) return;
      const failure =
        thrown instanceof EmbeddingsError
          ? thrown
          : new EmbeddingsError("failed", "The query's vector cannot be used.", { cause: thrown });
      if (failure.code !== "refused") health.recordFailure(failure);
    }
  }

  function request(user: UserQueries, texts: readonly string[]): void {
    user.requests += 1;
    const asked = ask(user, texts).finally(() => {
      user.requests -= 1;
      running.delete(asked);
      for (const text of texts) user.asked.delete(text);
    });
    running.add(asked);
    for (const text of texts) user.asked.set(text, asked);
  }

  return {
    async find(userId, texts, deadline) {
      const user = findUser(userId);
      const missing = [...new Set(texts)].filter((text) => !user.cached.has(text));
      const unasked = missing.filter((text) => !user.asked.has(text));
      const isFree = user.requests < userRequestsMax && running.size < requestsMax;
      const mayAsk = isFree && health.waitMs() === 0 && !closing.signal.aborted;
      if (unasked.length > 0 && mayAsk) request(user, unasked);
      const asked = new Set(missing.flatMap((text) => user.asked.get(text) ?? []));
      if (asked.size > 0) await Promise.race([Promise.all(asked), deadline]);
      return texts.map((text) => user.cached.get(text) ?? null);
    },
    async close() {
      closing.abort(new EmbeddingsError("failed", "The hub is closing."));
      await Promise.all(running);
    },
  };
}

/** Puts an entry behind all others, and removes the first of too many. */
function putLast<Value>(map: Map<string, Value>, key: string, value: Value, sizeMax: number): void {
  map.delete(key);
  map.set(key, value);
  const [first] = map.keys();
  if (map.size > sizeMax && first !== undefined) map.delete(first);
}
