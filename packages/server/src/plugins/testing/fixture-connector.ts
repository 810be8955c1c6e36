import {
  defineConnector,
  InvalidInputError,
  OutboundError,
  UpstreamError,
  wick,
} from "@hub/connector";

/**
 * A connector with all features. It must behave the same when it is compiled in and as a plugin.
 */
export const fixtureConnector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "flask",
  tier: "plugin",
  description: "Does what a test asks for.",
  config: {
    BaseURL: wick("url;required;desc=Where it answers;group=Access|How to get in"),
    APIToken: wick("secret;regen;group=Access"),
    Mode: wick("dropdown=fast|slow;default=fast"),
    Retries: wick.int("default=3;visible_when=Mode:slow"),
    Ratio: wick.float("default=0.5"),
    Strict: wick.bool("default=true"),
    Headers: wick("kvlist=name|value"),
    Projects: wick("picker=projects"),
    Extra: wick.json(),
    Footer: wick("textarea;hidden;mode=fixed;locked"),
  },
  generators: { APIToken: () => `generated-${crypto.randomUUID()}` },
  health({ config, mask }) {
    mask("health-secret");
    return config.BaseURL.includes("broken")
      ? { ok: false, reason: "It does not answer; it said health-secret." }
      : { ok: true };
  },
  lookup: ({ source, query, config }) =>
    ["alpha", "beta"]
      .filter((id) => id.includes(query))
      .map((id) => ({ id, name: `${source} ${id} ${config.Mode}` })),
  operations: {
    echo: {
      name: "Echo",
      description: "Returns what it was given.",
      input: {
        Text: wick("required"),
        Count: wick.int(),
        Ratio: wick.float(),
        Flag: wick.bool(),
        Rows: wick("kvlist=name|value"),
        Any: wick.json(),
      },
      output: { type: "object" },
      examples: [{ params: { text: "hello", count: 3 }, description: "Says hello." }],
      run: ({ config, params }) => ({
        config,
        params,
        types: Object.fromEntries(
          Object.entries(params).map(([name, value]) => [name, typeof value]),
        ),
      }),
    },
    report: {
      description: "Reports progress, names secrets and writes to the log.",
      input: { Steps: wick.int("default=3") },
      run({ params, progress, mask, maskIgnoreCase, log, config }) {
        mask("named-secret");
        maskIgnoreCase("Folded-Secret");
        const steps = Number(params.Steps);
        for (let step = 1; step <= steps; step += 1) {
          progress(step + 0.5, steps, `step ${step} named-secret`);
        }
        progress(steps);
        log.info("It is done with named-secret", { token: config.APIToken });
        return { told: "named-secret", shouted: "FOLDED-SECRET" };
      },
    },
    fail: {
      description: "Fails in the way it is asked to.",
      input: { How: wick("required") },
      run({ params, mask }) {
        mask("named-secret");
        switch (params.How) {
          case "plain":
            throw new Error("There is no such issue; named-secret says so.");
          case "upstream":
            throw new UpstreamError("The host answered 404.", {
              httpStatus: 404,
              retryAfterS: 1.5,
              body: { message: "no such issue", big: 12345678901234567890n },
            });
          case "input":
            throw new InvalidInputError("how", "must not say named-secret");
          case "inputs":
            throw new InvalidInputError([
              { path: "how", message: "is of the past" },
              { path: "", message: "Give one thing or the other." },
            ]);
          case "outbound":
            throw new OutboundError("blocked", "That address is not for you.");
          case "unsent":
            throw new OutboundError("network", "It is not there.", { isUnsent: true });
          case "outbound-timeout":
            throw new OutboundError("timeout", "It took too long.");
          case "bug":
            return (undefined as unknown as { name: string }).name;
          case "text":
            throw "a text";
          case "cyclic": {
            const cyclic: Record<string, unknown> = {};
            cyclic.self = cyclic;
            return cyclic;
          }
          case "json":
            return {
              toJSON() {
                throw new Error("It cannot be told.");
              },
            };
          default:
            return null;
        }
      },
    },
    values: {
      description: "Returns values that JSON treats in its own way.",
      input: { Which: wick("required") },
      run({ params }): unknown {
        switch (params.Which) {
          case "undefined":
            return undefined;
          case "null":
            return null;
          case "text":
            return "naïve — “text” \u2028 😀";
          case "bigint":
            return { big: 12345678901234567890n, list: [1n] };
          case "nan":
            return [Number.NaN, undefined, () => 1];
          case "date":
            return { at: new Date(0) };
          case "buffer":
            return Buffer.from("abc");
          default:
            return false;
        }
      },
    },
    fetch: {
      description: "Fetches an address.",
      input: { URL: wick("required"), Times: wick.int("default=1") },
      async run({ params, fetch }) {
        const bodies: string[] = [];
        for (let turn = 0; turn < params.Times; turn += 1) {
          bodies.push(await (await fetch(params.URL)).text());
        }
        return bodies;
      },
    },
    hang: {
      description: "Waits until it is cancelled, and tells the address it is given when it is.",
      input: { TellURL: wick("url") },
      async run({ params, signal, progress }) {
        progress(1);
        await new Promise<void>((resolve) => {
          if (signal.aborted) resolve();
          signal.addEventListener("abort", () => resolve(), { once: true });
        });
        if (params.TellURL !== undefined) await globalThis.fetch(params.TellURL);
        throw new Error("cancelled inside");
      },
    },
    large: {
      description: "Returns a text of so many characters.",
      input: { Chars: wick.int("required") },
      run: ({ params }) => "x".repeat(Number(params.Chars)),
    },
    die: {
      description: "Ends its process in the middle of a call.",
      input: { Code: wick.int("default=1") },
      run({ params, progress }) {
        progress(1);
        process.exit(Number(params.Code));
      },
    },
    look_around: {
      description: "Tells what the process can see.",
      async run() {
        const { readdirSync, readlinkSync } = await import("node:fs");
        const files = readdirSync("/proc/self/fd").flatMap((fd) => {
          try {
            return [{ fd: Number(fd), path: readlinkSync(`/proc/self/fd/${fd}`) }];
          } catch {
            return [];
          }
        });
        return { env: { ...process.env }, cwd: process.cwd(), files, pid: process.pid };
      },
    },
    print: {
      description: "Prints to stdout and stderr.",
      input: { Text: wick("required") },
      run({ params, config }) {
        console.log(`out ${params.Text} ${config.APIToken}`);
        console.error(`err ${params.Text} ${config.APIToken}`);
        console.error(
          JSON.stringify({ "@level": "warn", "@message": `json ${params.Text}`, size: 3 }),
        );
        return null;
      },
    },
    spin: {
      description: "Keeps its processor busy for ever.",
      run() {
        for (;;);
      },
    },
    widget: {
      description: "Markup for the settings page.",
      configOnly: true,
      run: ({ config }) => ({ html: `<b>${config.Mode ?? "unset"}</b>` }),
    },
    collect: {
      description: "What a widget's elements hold.",
      configOnly: true,
      run: ({ input }) => ({ input, has: "sure" in input }),
    },
    keyed: {
      description: "Returns the key of its repetitions.",
      destructive: true,
      idempotent: true,
      run: ({ idempotencyKey = null }) => ({ idempotencyKey }),
    },
    sweep: {
      description: "Maintenance.",
      adminOnly: true,
      destructive: true,
      timeoutMs: 5000,
      run: () => ({ swept: 0 }),
    },
  },
});
