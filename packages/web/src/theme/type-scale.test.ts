/** Sizes and weights of text are those of the scale in `shell.css`, on the pages of the app and of the server. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const packages = join(import.meta.dirname, "../../..");
const folders = ["web/src", "contract/src", "server/src/http"];
const files = folders.flatMap((folder) =>
  readdirSync(join(packages, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".css"))
    .map((name) => join(folder, name)),
);

/** A code is smaller than the text around it, whatever its size. */
const sizes = /^(?:var\(--text-(?:title|head|body|small|tiny|mark)\)|0\.9em|inherit)$/;
const weights = /^(?:var\(--weight-(?:title|head|strong)\)|400|inherit|100 900)$/;
const shorthands = ["inherit", "var(--text-body) / 1.5 var(--font)"];

test("No style sheet has a size or weight of text beside the scale", () => {
  expect(files.length).toBeGreaterThan(50);
  const wrong = files.flatMap((file) => {
    const css = readFileSync(join(packages, file), "utf8");
    return [...css.matchAll(/\b(font|font-size|font-weight): ([^;]+);/g)]
      .filter(([, name, value = ""]) => {
        if (name === "font") return !shorthands.includes(value);
        return !(name === "font-size" ? sizes : weights).test(value);
      })
      .map(([text]) => `${file}: ${text}`);
  });
  expect(wrong).toEqual([]);
});

test("The scale has three clear steps, and each variable that is used is defined", () => {
  const shell = readFileSync(join(packages, "contract/src/shell.css"), "utf8");
  const defined = new Set([...shell.matchAll(/(--(?:text|weight)-\w+):/g)].map(([, name]) => name));
  expect(shell).toContain("--text-title: 1.75rem;");
  expect(shell).toContain("--text-head: 1.125rem;");
  expect(shell).toContain("--text-body: 0.875rem;");
  const used = files.flatMap((file) =>
    [...readFileSync(join(packages, file), "utf8").matchAll(/var\((--(?:text|weight)-\w+)\)/g)].map(
      ([, name]) => name,
    ),
  );
  expect(used.length).toBeGreaterThan(150);
  expect(used.filter((name) => !defined.has(name))).toEqual([]);
});
