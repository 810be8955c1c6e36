import { expect, test } from "bun:test";
import { createLastLines } from "./last-lines.ts";

const read = (written: string, secret: string) => {
  const last = createLastLines();
  for (const line of written.split("\n")) last.add(line);
  return last.read((text) => text.replaceAll(secret, "[secret]"));
};

test("A secret of many lines, one of them empty, is masked as a whole", () => {
  const lines = Array.from({ length: 60 }, (_, at) => (at === 30 ? "" : `line ${at} of the key`));
  const key = lines.join("\n");
  expect(read(`The key is wrong:\n${key}\nGoodbye.`, key)).toBe(
    "The key is wrong:\n[secret]\nGoodbye.",
  );
});

test("A secret with an invisible character inside is masked", () => {
  expect(read("token: ab\u200bcd\u0007ef", "abcdef")).toBe("token: [secret]");
});

test("Output of blank lines alone is empty", () => {
  expect(read(" \n\n", "x")).toBe("");
});
