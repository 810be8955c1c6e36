import { defineConnector, InvalidInputError, UpstreamError, wick } from "@hub/connector";

/** The number of runs of `tally` in this process. */
let tallied = 0;

/** A connector with one operation for each kind of outcome. */
export const fixture = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "flask",
  tier: "builtin",
  description: "Has an operation for each kind of outcome.",
  config: { Secret: wick("secret;required") },
  operations: {
    greet: {
      description: "Greets a person by name.\n\nA second paragraph, which lists leave out.",
      input: {
        Name: wick("required;desc=Whom to greet"),
        Times: wick.int("default=1"),
        Tone: wick("dropdown=formal|friendly;default=friendly"),
      },
      run: ({ params }) => ({ greeting: `Hello ${params.Name}`, times: params.Times }),
    },
    show: {
      description: "Returns the secret and its length.",
      run: ({ config }) => ({ secret: config.Secret, chars: config.Secret.length }),
    },
    big_number: {
      description: "Returns the given integer.",
      input: { Value: wick.int("required") },
      run: ({ params }) => ({ value: params.Value }),
    },
    count: {
      description: "Reports progress in three steps, with the secret in each message.",
      run({ config, progress }) {
        for (const step of [1, 2, 3]) progress(step, 3, `step ${step} with ${config.Secret}`);
        return { counted: 3 };
      },
    },
    wait: {
      description: "Reports progress once and waits until the call is cancelled.",
      run: ({ signal, progress }) => {
        progress(0, 1, "waiting");
        return untilAborted(signal);
      },
    },
    overrun: {
      description: "Runs longer than its time limit.",
      timeoutMs: 20,
      run: ({ signal }) => untilAborted(signal),
    },
    deaf: {
      description: "Runs longer than its time limit and ignores its signal.",
      timeoutMs: 20,
      run: () => new Promise(() => {}),
    },
    refuse: {
      description: "Fails with an error of the outside system that quotes the secret.",
      run({ config }) {
        throw new UpstreamError(`The host answered 503 to ${config.Secret}.`, {
          httpStatus: 503,
          body: { seen: [config.Secret] },
        });
      },
    },
    reject: {
      description: "Refuses its input with a message that quotes the secret and the input.",
      input: { Word: wick() },
      run({ config, params }) {
        throw new InvalidInputError([
          { path: "word", message: `must not be ${params.Word} near ${config.Secret}` },
          { path: "", message: "Give another one." },
        ]);
      },
    },
    crash: {
      description: "Fails with an unexpected error.",
      run({ config }) {
        throw new TypeError(`undefined is not a function near ${config.Secret}`);
      },
    },
    log: {
      description: "Writes the secret to the log.",
      run({ config, log }) {
        log.warn(`calling with ${config.Secret}`, { header: `Bearer ${config.Secret}` });
        return null;
      },
    },
    mask: {
      description: "Masks derived secrets, and returns them in another case.",
      run({ mask, maskIgnoreCase }) {
        mask("derived-session-key");
        maskIgnoreCase("MiXeD-case-key");
        mask("derived-of-row-key", { ofRow: true });
        maskIgnoreCase("MiXeD-row-key", { ofRow: true });
        return {
          exact: "derived-session-key",
          mixed: "mIxEd-CASE-key",
          ofRow: ["derived-of-row-key", "mIxEd-ROW-key"],
        };
      },
    },
    whisper: {
      description: "Returns a secret input and its length.",
      input: { Password: wick("secret;required") },
      run: ({ params }) => ({ length: params.Password.length, said: params.Password }),
    },
    maintain: {
      description: "Runs only as an admin's test.",
      adminOnly: true,
      run: () => ({ done: true }),
    },
    lookup_only: {
      description: "Runs only from a widget.",
      configOnly: true,
      run: () => ({ done: true }),
    },
    tally: {
      description: "Counts its own runs in this process.",
      run() {
        tallied += 1;
        return { tallied };
      },
    },
    destroy: {
      description: "Destroys.",
      destructive: true,
      run: () => ({ destroyed: true }),
    },
  },
});

/** Rejects when the call ends. */
function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
