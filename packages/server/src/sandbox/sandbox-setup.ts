/**
 * Runs inside of QuickJS before the script. It defines the inputs, `console`, and how the script is called.
 * It keeps the functions that it needs, because the script can replace them.
 *
 * Inputs are parsed when they are read first: a script that reads one output does not pay for all.
 */
export const sandboxSetup = `(function (paths, read, print, finish) {
  "use strict";
  const { parse, stringify } = JSON;
  const { defineProperty } = Object;
  const toText = String;
  const { call } = Function.prototype;
  const slice = call.bind(String.prototype.slice);
  const then = call.bind(Promise.prototype.then);

  function define(target, name, value) {
    defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true });
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

  function describe(thrown) {
    let name = "";
    let message = "";
    let stack = "";
    try {
      if (typeof thrown === "object" && thrown !== null) {
        name = slice(toText(thrown.name ?? ""), 0, 100);
        message = slice(toText(thrown.message ?? stringify(thrown)), 0, 2000);
        stack = slice(toText(thrown.stack ?? ""), 0, 4000);
      } else message = slice(toText(thrown), 0, 2000);
    } catch {
      message = "a value that cannot be shown";
    }
    return stringify({ name, message, stack });
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
