import { expect, test } from "bun:test";
import { filterDeclarations } from "./safe-styles.ts";

/** Declarations as a browser lists them. */
function declare(given: Record<string, string>) {
  const names = Object.keys(given);
  return Object.assign([...names], {
    getPropertyValue: (name: string) => given[name] ?? "",
    getPropertyPriority: () => "",
  });
}

test("Properties that load, cover the page or are unknown are dropped", () => {
  const kept = filterDeclarations(
    declare({
      color: "red",
      "background-image": 'url("http://evil.invalid")',
      "background-color": "image-set(x)",
      position: "fixed",
      "z-index": "9",
      "list-style-type": '"\\75 rl"',
      "--x": "1",
      "margin-top": "2px",
    }),
  );
  expect(kept.map(({ name }) => name)).toEqual(["color", "margin-top"]);
});
