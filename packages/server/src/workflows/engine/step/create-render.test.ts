import { expect, test } from "bun:test";
import { parseTemplate } from "../../templates/parse/parser.ts";
import { createRoots } from "../../templates/testing/create-roots.ts";
import { createRender } from "./create-render.ts";

test("All fields of a step share one limit of steps, also if they are rendered one by one", () => {
  const { render } = createRender({ parse: parseTemplate, now: () => 0 }, createRoots(), null);
  const field = "{{range 60000}}{{end}}";
  expect(render(field)).toBe("");
  expect(() => Array.from({ length: 10 }, () => render(field))).toThrow("takes too long");
});
