import { describe, expect, spyOn, test } from "bun:test";
import { defineConnector, defineConnectorWith } from "./define-connector.ts";
import { type FieldRecord, wick } from "./field-tags.ts";
import type { OperationTools } from "./operation-context.ts";
import { runHealth, runLookup, runOperation } from "./run-operation.ts";

describe("defineConnector", () => {
  test("defineConnector returns the connector with parsed fields and operations", () => {
    const definition = defineConnector({
      ...identity,
      config: { BaseURL: wick("url;required") },
      operations: {
        get_issue: {
          name: "Get issue",
          description: "Reads one issue.",
          input: { IssueNumber: wick.int("required") },
          output: { type: "object" },
          examples: [{ params: { issue_number: 3 } }],
          run: () => ({}),
        },
        prune: {
          description: "Deletes old issues.",
          destructive: true,
          configOnly: true,
          adminOnly: true,
          timeoutMs: 5000,
          run: () => null,
        },
      },
    });
    const { operations, ...rest } = definition;
    expect(rest).toMatchObject({ ...identity, configFields: [{ key: "base_url" }] });
    expect([...operations.keys()]).toEqual(["get_issue", "prune"]);
    expect(operations.get("get_issue")).toMatchObject({
      key: "get_issue",
      name: "Get issue",
      inputFields: [{ key: "issue_number", base: "integer" }],
      outputSchema: { type: "object" },
      destructive: false,
      configOnly: false,
      adminOnly: false,
      examples: [{ params: { issue_number: 3 } }],
    });
    expect(operations.get("prune")).toMatchObject({
      name: "prune",
      inputFields: [],
      destructive: true,
      configOnly: true,
      adminOnly: true,
      timeoutMs: 5000,
      examples: [],
    });
  });

  test("The values of every function are typed by the tags", async () => {
    const definition = defineConnector({
      ...identity,
      config: { BaseURL: wick("url;required"), Mode: wick("dropdown=a|b") },
      operations: {
        get: {
          description: "Gets.",
          input: { Number: wick.int("required"), Title: wick() },
          async run({ config, params }) {
            const mode: "a" | "b" | undefined = config.Mode;
            const number: number | bigint = params.Number;
            // @ts-expect-error A title may be left out.
            const title: string = params.Title;
            return { base: config.BaseURL.length, mode, number, title };
          },
        },
        list: {
          description: "Lists.",
          run({ config, params }) {
            // @ts-expect-error It has no inputs.
            return [config.BaseURL.length, params.Anything];
          },
        },
      },
      health: ({ config }) => ({ ok: config.BaseURL.startsWith("https:") }),
      lookup: ({ config, source, query }) => [{ id: source, name: `${config.BaseURL}${query}` }],
    });
    const config = { base_url: "https://a.b" };
    expect(await runOperation(definition, "get", { config, params: { number: 3 } }, tools)).toEqual(
      {
        base: 11,
        mode: undefined,
        number: 3,
        title: undefined,
      },
    );
    expect(await runHealth(definition, { config }, tools)).toEqual({ ok: true });
    expect(await runLookup(definition, { config, source: "s", query: "?" }, tools)).toEqual([
      { id: "s", name: "https://a.b?" },
    ]);
  });

  test("Functions for the settings page run before required configuration is set", async () => {
    const definition = defineConnector({
      ...identity,
      config: { BaseURL: wick("url;required") },
      operations: {
        show_status: {
          description: "Shows the status.",
          configOnly: true,
          input: { Arg: wick.int("required") },
          run({ config, params }) {
            // @ts-expect-error The URL may not be set yet.
            const base: string = config.BaseURL;
            const arg: number | bigint = params.Arg;
            return { html: `${base} ${arg}` };
          },
        },
      },
      lookup({ config }) {
        // @ts-expect-error The URL may not be set yet.
        const base: string = config.BaseURL;
        return [{ id: "1", name: String(base) }];
      },
    });
    const values = { config: {}, params: { arg: 1 }, source: "s", query: "q" };
    expect(await runOperation(definition, "show_status", values, tools)).toEqual({
      html: "undefined 1",
    });
    expect(await runLookup(definition, values, tools)).toEqual([{ id: "1", name: "undefined" }]);
  });

  test.each<[string, () => unknown, string]>([
    [
      "a key with a hyphen",
      () => define({ key: "code-host" }),
      'Connector "code-host": its key must be',
    ],
    [
      "a key __proto__",
      () => define({ key: "__proto__" }),
      'Connector "__proto__": its key must be',
    ],
    ["no name", () => define({ name: " " }), 'Connector "tracker": has no name'],
    [
      "no description",
      () => define({ description: " " }),
      'Connector "tracker": has no description',
    ],
    [
      "an operation key with a hyphen",
      () => defineOp({}, "get-issue"),
      'Connector "tracker", operation get-issue: its key must be',
    ],
    [
      "an operation without description",
      () => defineOp({ description: " " }),
      'Connector "tracker", operation get: has no description',
    ],
    [
      "a time limit of nothing",
      () => defineOp({ timeoutMs: 0 }),
      "operation get: timeoutMs must be",
    ],
    [
      "a time limit that no timer holds",
      () => defineOp({ timeoutMs: 2 ** 31 }),
      "operation get: timeoutMs must be",
    ],
    [
      "a fraction of a millisecond",
      () => defineOp({ timeoutMs: 0.5 }),
      "operation get: timeoutMs must be",
    ],
    [
      "a malformed tag of the configuration",
      () => define({ config: { Token: wick("secrt") } }),
      'Connector "tracker", field Token: attribute "secrt" is not known. Did you mean "secret"?',
    ],
    [
      "a malformed tag of an input",
      () => defineOp({ input: { Number: wick.int("requird") } }),
      'Connector "tracker", operation get, field Number: attribute "requird"',
    ],
    [
      "an example that would be refused",
      () => defineOp({ examples: [{ params: {} }, { params: { nope: 1 } }] }),
      "operation get, example 2: nope is not known here",
    ],
    [
      "a picker input without lookup",
      () => defineOp({ input: { User: wick("picker=users") } }),
      'operation get, field User: attribute "picker" needs the connector\'s lookup',
    ],
    [
      "an html input without operation",
      () => defineOp({ input: { User: wick("html=users") } }),
      'operation get, field User: attribute "html" names no operation "users"',
    ],
    [
      "regen on an input",
      () => defineOp({ input: { Nonce: wick("regen") } }),
      'operation get, field Nonce: attribute "regen" is for configuration',
    ],
    [
      "a generator of no regen field",
      () => define({ config: { Token: wick() }, generators: { Token: () => "" } }),
      'Connector "tracker": the generator "Token" belongs to no field with "regen"',
    ],
  ])("defineConnector refuses %s", (_what, run, message) => {
    expect(run).toThrow(message);
  });

  test("Time limits may be from one millisecond to the maximum of a timer", () => {
    for (const timeoutMs of [1, 2 ** 31 - 1]) {
      expect(defineOp({ timeoutMs }).operations.get("get")?.timeoutMs).toBe(timeoutMs);
    }
  });

  test("Members of Object.prototype do not count as generators", () => {
    expect(() => define({ config: { Constructor: wick("regen") } })).toThrow(
      'field Constructor: attribute "regen" has no generator "Constructor"',
    );
  });

  test("Functions keep their own this", async () => {
    const definition = defineConnector({
      ...identity,
      config: {},
      operations: {
        get: {
          description: "Gets.",
          run() {
            return this.description;
          },
        },
      },
      health() {
        return { ok: true, reason: this.name };
      },
    });
    const values = { config: {}, params: {} };
    expect(await runOperation(definition, "get", values, tools)).toBe("Gets.");
    expect(await runHealth(definition, values, tools)).toEqual({ ok: true, reason: "Tracker" });
  });
});

describe("defineConnectorWith", () => {
  test("defineConnectorWith passes the host's additions to the functions", async () => {
    const definition = defineConnectorWith<{ caller: string }>()({
      ...identity,
      config: {},
      operations: {
        whoami: {
          description: "Tells who calls.",
          input: { Greeting: wick("default=Hello") },
          run: ({ caller, params }) => `${params.Greeting}, ${caller}`,
        },
      },
    });
    const values = { config: {}, params: { greeting: "Hi" } };
    expect(await runOperation(definition, "whoami", values, { ...tools, caller: "Ada" })).toBe(
      "Hi, Ada",
    );
    // @ts-expect-error The host must give the caller.
    await runOperation(definition, "whoami", values, tools);
  });

  test("A connector without additional needs fits a host that passes more", () => {
    const plain = define({});
    const definitions: ReturnType<typeof defineWithCaller>[] = [plain, defineWithCaller()];
    expect(definitions).toHaveLength(2);
  });
});

describe("runOperation", () => {
  test("runOperation passes values by field name, and omits missing ones", async () => {
    const definition = defineConnector({
      ...identity,
      config: { BaseURL: wick(), OrgID: wick("key=org") },
      operations: {
        echo: {
          description: "Echoes.",
          input: { PerPage: wick.int(), Q: wick() },
          run: ({ config, params }) => ({ config, params }),
        },
      },
    });
    const values = { config: { org: "1", other: "x" }, params: { per_page: 5 } };
    const seen = await runOperation(definition, "echo", values, tools);
    expect(JSON.stringify(seen)).toBe('{"config":{"OrgID":"1"},"params":{"PerPage":5}}');
  });

  test("runOperation passes the host's tools", async () => {
    const calls: unknown[] = [];
    const definition = defineConnector({
      ...identity,
      config: {},
      operations: {
        work: {
          description: "Works.",
          async run({ progress, mask, maskIgnoreCase, fetch, signal, log }) {
            progress(1, 2, "half");
            mask("a");
            maskIgnoreCase("b");
            log.info("c", { d: 1 });
            return [signal.aborted, (await fetch("https://a.b")).status];
          },
        },
      },
    });
    const recordCall =
      (name: string) =>
      (...args: unknown[]) =>
        void calls.push([name, ...args]);
    const result = await runOperation(
      definition,
      "work",
      { config: {}, params: {} },
      {
        ...tools,
        progress: recordCall("progress"),
        mask: recordCall("mask"),
        maskIgnoreCase: recordCall("maskIgnoreCase"),
        log: { ...tools.log, info: recordCall("info") },
        fetch: async () => new Response(null, { status: 204 }),
      },
    );
    expect(result).toEqual([false, 204]);
    expect(calls).toEqual([
      ["progress", 1, 2, "half"],
      ["mask", "a"],
      ["maskIgnoreCase", "b"],
      ["info", "c", { d: 1 }],
    ]);
  });

  test("An operation that throws rejects, whether it is async or not", async () => {
    const definition = defineOp({
      run() {
        throw new Error("down");
      },
    });
    const values = { config: {}, params: {} };
    await expect(runOperation(definition, "get", values, tools)).rejects.toThrow("down");
  });

  test("runOperation rejects for unknown operations, health checks, look-ups and generators", async () => {
    const definition = defineOp({});
    const values = { config: {}, params: {}, source: "s", query: "q" };
    await expect(runOperation(definition, "gett", values, tools)).rejects.toThrow(
      '"tracker" has no operation "gett". Did you mean "get"?',
    );
    await expect(runHealth(definition, values, tools)).rejects.toThrow("has no health check");
    await expect(runLookup(definition, values, tools)).rejects.toThrow("has no lookup");
  });
});

const identity = {
  key: "tracker",
  name: "Tracker",
  icon: "bug",
  tier: "builtin" as const,
  description: "Reads issues.",
};

const nothing = () => {};

const tools: OperationTools = {
  signal: new AbortController().signal,
  progress: nothing,
  mask: nothing,
  maskIgnoreCase: nothing,
  fetch: () => Promise.reject(new Error("No network in tests.")),
  log: { debug: nothing, info: nothing, warn: nothing, error: nothing },
};

type Source = Parameters<typeof defineConnector>[0];

function define(parts: Partial<Source>) {
  return defineConnector({ ...identity, config: {}, operations: {}, ...parts });
}

function defineOp(parts: Partial<Source["operations"][string]>, key = "get") {
  return define({ operations: { [key]: { description: "Gets.", run: () => null, ...parts } } });
}

function defineWithCaller() {
  return defineConnectorWith<{ caller: string }>()({ ...identity, config: {}, operations: {} });
}

test("A member of config or input without a tag is ignored with a warning", () => {
  const warn = spyOn(console, "warn").mockImplementation(() => {});
  try {
    const fields = { BaseURL: wick("url"), Note: "plain", Nothing: undefined };
    const connector = defineConnector({
      key: "plain",
      name: "Plain",
      icon: "dot",
      tier: "builtin",
      description: "Written in plain JavaScript.",
      // Types forbid it; plain JavaScript does not.
      config: fields as unknown as FieldRecord,
      operations: {
        go: { description: "Goes.", input: fields as unknown as FieldRecord, run: () => null },
      },
    });
    const keys = connector.configFields.map(({ key }) => key);
    const inputs = connector.operations.get("go")?.inputFields.map(({ key }) => key);
    expect([keys, inputs]).toEqual([["base_url"], ["base_url"]]);
    expect(warn.mock.calls.flat()).toEqual([
      'Connector "plain", field Note has no tag and is left out. Give it one by wick(…).',
      'Connector "plain", field Nothing has no tag and is left out. Give it one by wick(…).',
      'Connector "plain", operation go, field Note has no tag and is left out. Give it one by wick(…).',
      'Connector "plain", operation go, field Nothing has no tag and is left out. Give it one by wick(…).',
    ]);
  } finally {
    warn.mockRestore();
  }
});
