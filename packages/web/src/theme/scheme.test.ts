import { expect, test } from "bun:test";
import { readScheme } from "./scheme.ts";

test("Only a cookie of this name and with a known value chooses the colours", () => {
  expect(readScheme("a=b; hub_scheme=dark; c=d")).toBe("dark");
  expect(readScheme("hub_scheme=light")).toBe("light");
  expect(readScheme("not_hub_scheme=dark; hub_scheme=darkest")).toBeNull();
});
