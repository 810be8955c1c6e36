import { expect, test } from "bun:test";
import { quietConsole } from "./quiet-console.ts";

test("The library's warnings go to the log until the console is restored, all others to the console", () => {
  const { warn } = console;
  const warned: unknown[] = [];
  const logged: unknown[] = [];
  console.warn = (...parts) => warned.push(parts);
  try {
    const restore = quietConsole({ debug: (...parts: unknown[]) => logged.push(parts) });
    console.warn("oidc-provider WARNING: unsupported runtime");
    console.warn("another warning", 1);
    console.warn(new Error("no text"));
    restore();
    console.warn("oidc-provider WARNING: again");
  } finally {
    console.warn = warn;
  }
  expect(logged).toEqual([[{}, "oidc-provider WARNING: unsupported runtime"]]);
  expect(warned).toEqual([
    ["another warning", 1],
    [expect.any(Error)],
    ["oidc-provider WARNING: again"],
  ]);
});
