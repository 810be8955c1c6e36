import { defineConnector, wick } from "@hub/connector";

/**
 * Results of an operation that are not plain JSON, by name. `secret` is the secret of the row. The huge ones grow
 * with `times`.
 */
const answers: Record<string, (secret: string, times: number) => unknown> = {
  nothing: () => undefined,
  a_function: () => () => 1,
  a_symbol: () => Symbol("s"),
  functions_and_symbols_within: () => ({ f: () => 1, s: Symbol("s"), list: [() => 1], kept: 1 }),
  a_bigint: () => 12345678901234567890n,
  a_bigint_within: () => ({ value: -12345678901234567890n }),
  no_number: () => ({ nan: Number.NaN, infinity: Number.POSITIVE_INFINITY }),
  a_date: () => ({ at: new Date(0) }),
  an_invalid_date: () => ({ at: new Date(Number.NaN) }),
  a_map: () => ({ map: new Map([["a", 1]]), set: new Set([1]) }),
  bytes: () => ({ view: new Uint8Array([1, 2]) }),
  a_class: () =>
    new (class Row {
      own = 1;
      get inherited() {
        return 2;
      }
    })(),
  a_class_with_toJSON: (secret) => ({ row: new Masked(secret) }),
  a_toJSON_that_changes: (secret) => new Changing(secret),
  a_getter_that_changes: (secret) => withChangingGetter(secret),
  a_proxy_that_changes: (secret) => new Proxy({ value: "" }, { get: toChanging(secret) }),
  a_proxy: () => new Proxy({ a: [1] }, {}),
  a_proxy_that_throws: () =>
    new Proxy(
      {},
      {
        ownKeys() {
          throw new Error("The proxy refuses.");
        },
      },
    ),
  a_revoked_proxy: () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    return { proxy };
  },
  a_getter_that_throws: () => ({
    get value() {
      throw new Error("The getter refuses.");
    },
  }),
  a_toJSON_that_throws: () => ({
    toJSON() {
      throw new Error("toJSON refuses.");
    },
  }),
  without_prototype: () => Object.assign(Object.create(null), { a: 1 }),
  proto_keys: () => JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":1}}'),
  lone_surrogates: () => ({ "\ud800": "\udc00", nul: "\u0000" }),
  cyclic: () => {
    const value: Record<string, unknown> = {};
    value.self = { value };
    return value;
  },
  nested_deeply: () => nest(10_000),
  shared_without_end: () => {
    let value: unknown = "leaf";
    for (let level = 0; level < 60; level += 1) value = [value, value];
    return value;
  },
  long_and_empty: () => new Array(2 ** 32 - 1),
  a_huge_text: (secret, times) => "lorem ipsum ".repeat(600_000 * times) + secret,
  a_huge_text_of_secrets: (secret, times) => `${secret} `.repeat(120_000 * times),
  a_huge_list: (secret, times) =>
    Array.from({ length: 50_000 * times }, (_, id) => ({ id, title: secret })),
  a_huge_record: (_, times) =>
    Object.fromEntries(Array.from({ length: 75_000 * times }, (_, id) => [`key ${id}`, id])),
};

/** Values that an operation throws. */
const throws: Record<string, () => unknown> = {
  null: () => null,
  undefined: () => undefined,
  a_symbol: () => Symbol("s"),
  without_prototype: () => Object.create(null),
  a_proxy: () =>
    new Proxy(new Error("x"), {
      get() {
        throw new Error("The proxy refuses.");
      },
    }),
  a_huge_message: () => new Error("lorem ipsum ".repeat(1_000_000)),
  itself_as_cause: () => {
    const error = new Error("It is its own cause.");
    error.cause = error;
    return error;
  },
};

class Masked {
  readonly #secret: string;
  constructor(secret: string) {
    this.#secret = secret;
  }
  toJSON() {
    return { secret: this.#secret };
  }
}

/** Returns a harmless value on the first read, and the secret on later reads. */
function toChanging(secret: string): (target: object, key: string | symbol) => unknown {
  let reads = 0;
  return (_, key) => {
    if (key !== "value") return undefined;
    reads += 1;
    return reads === 1 ? "harmless" : secret;
  };
}

class Changing {
  readonly #read: () => unknown;
  constructor(secret: string) {
    const read = toChanging(secret);
    this.#read = () => read({}, "value");
  }
  toJSON() {
    return { value: this.#read() };
  }
}

function withChangingGetter(secret: string): object {
  const read = toChanging(secret);
  return {
    get value() {
      return read({}, "value");
    },
  };
}

function nest(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = { value };
  return value;
}

export const answerNames = Object.keys(answers);
export const throwNames = Object.keys(throws);

/** A connector that breaks every rule for operations. */
export const hostile = defineConnector({
  key: "hostile",
  name: "Hostile",
  icon: "bomb",
  tier: "builtin",
  description: "Returns results that no operation may return.",
  config: { Secret: wick("secret;required") },
  operations: {
    answer: {
      description: "Returns a value that is not plain JSON.",
      input: { Name: wick("required"), Times: wick.int("") },
      run: ({ config, params }) =>
        answers[String(params.Name)]?.(config.Secret, Number(params.Times) || 1),
    },
    fail: {
      description: "Throws an unusual value.",
      input: { Name: wick("required") },
      run({ params }) {
        throw throws[String(params.Name)]?.();
      },
    },
    echo: {
      description: "Returns the given text.",
      input: { Text: wick("required"), Number: wick.int("") },
      run: ({ params }) => ({ text: params.Text, number: params.Number }),
    },
    megabyte: {
      description: "Returns a megabyte of text.",
      run: () => "x".repeat(1_000_000),
    },
    wait: {
      description: "Waits until it is cancelled.",
      run: ({ signal }) => untilAborted(signal),
    },
    hang: {
      description: "Never returns, and ignores its signal.",
      run: () => new Promise(() => {}),
    },
    fail_late: {
      description: "Returns, and fails later outside the call.",
      input: { Name: wick("required") },
      run({ config, params }) {
        const error = Object.assign(new Error(`Late: ${config.Secret}`), { sent: config.Secret });
        if (params.Name === "rejection") void Promise.reject(error);
        if (params.Name === "exception") {
          setTimeout(() => {
            throw error;
          });
        }
        return "done";
      },
    },
    chatter: {
      description: "Writes log lines without end.",
      run: ({ config, log, signal }) =>
        repeat(signal, (line) => log.info(`line ${line} of ${config.Secret}`, { line })),
    },
    report: {
      description: "Reports progress without end.",
      run: ({ config, progress, log, signal }) => {
        const message = `${config.Secret} ${"x".repeat(100_000)}`;
        return repeat(signal, (step) => {
          progress(step, undefined, `${step} ${message}`);
          if (step % 100 === 0) log.info(`step ${step}`);
        });
      },
    },
    stream: {
      description: "Reports one step and waits.",
      run: ({ progress, signal }) => {
        progress(1);
        return untilAborted(signal);
      },
    },
  },
});

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** Repeats a step until the signal is aborted, and yields to the event loop after each. */
async function repeat(signal: AbortSignal, step: (count: number) => void): Promise<void> {
  for (let count = 1; !signal.aborted; count += 1) {
    step(count);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
