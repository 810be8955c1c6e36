/**
 * Runs inside of QuickJS before the script. It defines the inputs, `console`, how the script is called, and for
 * scripts that ask the hub `call` and `search`.
 * It keeps the functions that it needs, because the script can replace them.
 *
 * Inputs are parsed when they are read first: a script that reads one output does not pay for all.
 */
export const sandboxSetup = `(function (paths, read, print, finish, ask, takeComplete) {
  "use strict";
  const { parse, stringify } = JSON;
  const { defineProperty, keys } = Object;
  const SavedPromise = Promise;
  const SavedError = Error;
  const SavedTypeError = TypeError;
  const toText = String;
  const { call } = Function.prototype;
  const slice = call.bind(String.prototype.slice);
  const then = call.bind(Promise.prototype.then);

  function define(target, name, value) {
    const found = { __proto__: null, value, configurable: true, enumerable: true, writable: true };
    defineProperty(target, name, found);
  }

  function defineLazily(target, name, make) {
    defineProperty(target, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = make();
        define(target, name, value);
        return value;
      },
      set(value) {
        define(target, name, value);
      },
    });
  }

  const containers = { __proto__: null };
  function findContainer(path) {
    if (path.length === 0) return globalThis;
    const key = path.join("/");
    if (containers[key] === undefined) {
      const parent = findContainer(path.slice(0, -1));
      containers[key] = {};
      define(parent, path[path.length - 1], containers[key]);
    }
    return containers[key];
  }
  const list = parse(paths);
  for (let at = 0; at < list.length; at += 1) {
    const path = list[at];
    const index = at;
    defineLazily(findContainer(path.slice(0, -1)), path[path.length - 1], () => parse(read(index)));
  }

  function show(value) {
    if (typeof value === "string") return value;
    if (typeof value === "object" && value !== null) {
      if (value instanceof Error) return toText(value);
      return stringify(value) ?? toText(value);
    }
    return toText(value);
  }
  function log(...values) {
    let line = "";
    for (let at = 0; at < values.length && line.length < 2000; at += 1) {
      let shown;
      try {
        shown = show(values[at]);
      } catch {
        shown = "[value that cannot be shown]";
      }
      line += (at === 0 ? "" : " ") + slice(shown, 0, 2000);
    }
    print(line);
  }
  defineProperty(globalThis, "console", {
    value: { log, info: log, debug: log, warn: log, error: log },
    configurable: true,
    writable: true,
  });

  const asked = { __proto__: null };
  function question(kind, write) {
    return new SavedPromise((resolve, reject) => {
      const { target, text, fields } = write();
      const { stack } = new SavedError();
      const answer = ask(kind, target, text, fields);
      if (typeof answer === "string") throw toError(answer, stack);
      asked[answer] = { resolve, reject, stack };
    });
  }
  function toError(text, stack) {
    const members = parse(text);
    const error = new SavedError(members.message);
    const names = keys(members);
    for (let at = 0; at < names.length; at += 1) {
      const name = names[at];
      if (name !== "message" && name !== "name") define(error, name, members[name]);
    }
    define(error, "stack", stack);
    return error;
  }
  function complete(id, isError, text) {
    const found = asked[id];
    // The script had no memory left to wait for it.
    if (found === undefined) return;
    const { resolve, reject, stack } = found;
    delete asked[id];
    try {
      if (isError) reject(toError(text, stack));
      else resolve(parse(text));
    } catch (thrown) {
      reject(thrown);
    }
  }
  function writeFields(options) {
    if (options === undefined) return "";
    const names = keys(options);
    for (let at = 0; at < names.length; at += 1) {
      if (names[at] !== "fields") {
        throw new SavedTypeError("call: there is no option " + names[at] + "; its only option is fields");
      }
    }
    return options.fields === undefined ? "" : (stringify(options.fields) ?? "null");
  }
  if (ask !== undefined) {
    takeComplete(complete);
    define(globalThis, "call", (toolId, params, options) =>
      question("call", () => {
        if (typeof toolId !== "string") {
          throw new SavedTypeError("call: the first argument must be the tool_id, as a text");
        }
        const text = params === undefined ? "{}" : stringify(params);
        if (text === undefined) throw new SavedTypeError("call: params must be plain data");
        return { target: toolId, text, fields: writeFields(options) };
      }),
    );
    define(globalThis, "search", (query) =>
      question("search", () => {
        if (typeof query !== "string") {
          throw new SavedTypeError("search: the first argument must be the query, as a text");
        }
        return { target: "", text: stringify(query), fields: "" };
      }),
    );
  }

  function describe(thrown) {
    let name = "";
    let message = "";
    let stack = "";
    let code;
    let pending_id;
    try {
      if (typeof thrown === "object" && thrown !== null) {
        name = slice(toText(thrown.name ?? ""), 0, 100);
        message = slice(toText(thrown.message ?? stringify(thrown)), 0, 2000);
        stack = slice(toText(thrown.stack ?? ""), 0, 4000);
        if (typeof thrown.code === "string") code = slice(thrown.code, 0, 200);
        if (typeof thrown.pending_id === "string") pending_id = slice(thrown.pending_id, 0, 200);
      } else message = slice(toText(thrown), 0, 2000);
    } catch {
      message = "a value that cannot be shown";
    }
    return stringify({ name, message, stack, code, pending_id });
  }

  return (script) => {
    then(
      script(),
      (value) => {
        let text;
        try {
          text = stringify(value) ?? "null";
        } catch (thrown) {
          finish("output", describe(thrown));
          return;
        }
        finish("value", text);
      },
      (thrown) => finish("threw", describe(thrown)),
    );
  };
})`;
