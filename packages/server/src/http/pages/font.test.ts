import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { answerFont, fontFaces, fontPath } from "./font.ts";
import { answerStyle } from "./style.ts";

const shell = join(import.meta.dirname, "../../../../contract/src/shell.css");

test("The font is less than 60 KiB of WOFF2, and cached forever under a name with its hash", async () => {
  const answer = answerFont();
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(new TextDecoder().decode(bytes.slice(0, 4))).toBe("wOF2");
  expect(bytes.length).toBeLessThan(60 * 1024);
  expect(answer.headers.get("content-type")).toBe("font/woff2");
  expect(answer.headers.get("cache-control")).toContain("immutable");
  const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  expect(fontPath).toBe(`/assets/inter.${hash.slice(0, 12)}.woff2`);
});

test("The pages name the font and each fallback that has its measures", async () => {
  const named = /--font:([^;]+);/.exec(readFileSync(shell, "utf8"))?.[1] ?? "";
  const defined = [...fontFaces.matchAll(/font-family: ("[^"]+");/g)].map(([, name]) => name ?? "");
  expect(defined).toHaveLength(4);
  expect(
    named
      .split(",")
      .slice(0, 4)
      .map((name) => name.trim()),
  ).toEqual(defined);
  expect(fontFaces.match(/size-adjust: [\d.]+%/g)).toHaveLength(3);
  expect(await answerStyle().text()).toContain(fontFaces);
});
