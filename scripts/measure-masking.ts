/**
 * Prints the cost of masking: `bun scripts/measure-masking.ts [FOLDER]`. It masks ten secrets in clean, escaped
 * and hostile texts, and prints the time for each, also as a ratio to `JSON.parse` of the same text.
 * FOLDER is another checkout to measure, for example one without a change.
 */
import { resolve } from "node:path";
import type * as KeyRings from "../packages/server/src/secrets/keys/key-ring.ts";
import type * as Limits from "../packages/server/src/secrets/masks/limit-seals.ts";
import type * as Masks from "../packages/server/src/secrets/masks/mask.ts";

const root = resolve(process.argv[2] ?? resolve(import.meta.dirname, ".."));
const secretsFolder = `${root}/packages/server/src/secrets`;
// The casts are safe: these files of another checkout have the same members.
const { createKeyRing } = (await import(`${secretsFolder}/key-ring.ts`)) as typeof KeyRings;
const { TooManySecretsError } = (await import(`${secretsFolder}/limit-seals.ts`)) as typeof Limits;
const { createMask } = (await import(`${secretsFolder}/mask.ts`)) as typeof Masks;

const mebibyte = 2 ** 20;
const ring = createKeyRing([new Uint8Array(32).fill(1)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";
const secrets = [
  "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
  "xoxb-17653672481-19874698323-pdFZKVeTuE8sk7oOcHrzqqgy",
  "AKIAIOSFODNN7EXAMPLE",
  "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  "correct horse battery staple",
  'p@ss"w\\ord<&>%41',
  "3f2504e0-4f89-11d3-9a0c-0305e82c3301",
  "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
  "5d41402abc4b2a76b9719d911017c592",
  "glpat-Zx9_kLmN3pQrStUvWxYz",
];

const fill = (bytes: number, write: (index: number) => string): string => {
  const parts: string[] = [];
  let size = 0;
  for (let index = 0; size < bytes; index += 1) {
    const part = write(index);
    parts.push(part);
    size += part.length;
  }
  return parts.join("").slice(0, bytes);
};
const line = (index: number) =>
  `2026-11-${10 + (index % 20)} INFO request ${index} of client ${index % 97} took ${index % 31} ms, cache ${index % 3 === 0 ? "hit" : "miss"}; user=${index * 7919} path /v1/items/${index}\n`;
const record = (index: number) => ({
  id: index,
  name: `Item ${index}`,
  tags: ["red", "green"],
  owner: { login: `user${index % 50}`, url: `https://api.example.com/users/${index % 50}` },
});
const stringify = (text: string, times: number): string =>
  times === 0 ? text : JSON.stringify(stringify(text, times - 1)).slice(1, -1);
const tokenMask = createMask({ ring, userId, enabled: true });
tokenMask.addSecret("a secret");
const forgedHeader = Buffer.from(tokenMask.sealText("a secret").slice(8, 20), "base64url");
forgedHeader.writeUInt32BE(4000, 5);

const texts: Array<[name: string, text: string]> = [
  ["clean, 1 MiB, one line", fill(mebibyte, line).replaceAll("\n", " ")],
  ["clean, 1 MiB, log lines", fill(mebibyte, line)],
  [
    "clean, 1 MiB, base64",
    Buffer.from(fill(mebibyte * 0.75, (i) => Bun.hash(`${i}`).toString(36))).toString("base64"),
  ],
  ["escaped, 1 MiB, JSON in JSON", fill(mebibyte, (index) => JSON.stringify(record(index)))],
  [
    "escaped, 1 MiB, pretty JSON",
    fill(mebibyte, (index) => JSON.stringify(record(index), null, 2)),
  ],
  [
    "escaped, 1 MiB, JSON in JSON in JSON",
    fill(mebibyte, (index) => stringify(JSON.stringify(record(index)), 1)),
  ],
  [
    "escaped, 1 MiB, HTML",
    fill(mebibyte, (i) => `<p class=&quot;a&quot;>R&amp;D &lt;${i}&gt;</p>`),
  ],
  ["escaped, 1 MiB, percent", fill(mebibyte, (i) => encodeURIComponent(JSON.stringify(record(i))))],
  ["hostile, 1.4 MB, JSON in JSON", fill(1.4e6, (i) => stringify(JSON.stringify(record(i)), 4))],
  ["hostile, 3.9 MiB, percent in percent", fill(3.9 * mebibyte, () => "%25252541%2525")],
  ["hostile, 3.9 MiB, backslashes", fill(3.9 * mebibyte, () => "\\")],
  [
    "hostile, 3.9 MiB, all escapes mixed",
    fill(3.9 * mebibyte, (i) => `%255c\\\\u0026#x26;lt;\\"%2525&amp;=41\n\u200b${i % 7}`),
  ],
  ["hostile, 3.9 MiB, token prefixes", fill(3.9 * mebibyte, () => "hub_enc_")],
  [
    "hostile, 3.9 MiB, forged tokens and a secret",
    secrets[0] +
      fill(3.9 * mebibyte, () => `hub_enc_${forgedHeader.toString("base64url")}`) +
      secrets[0],
  ],
  [
    "hostile, 3.9 MiB, forged tokens among secrets",
    fill(3.9 * mebibyte, () => `hub_enc_${forgedHeader.toString("base64url")}${secrets[0]}`),
  ],
  ["hostile, 3.9 MiB, one secret repeated", fill(3.9 * mebibyte, () => `${secrets[0]} `)],
  [
    "hostile, 3.9 MiB, prefixes of a secret",
    fill(3.9 * mebibyte, () => `${secrets[3]?.slice(0, -1)}`),
  ],
  [
    "hostile, 1 MiB, a secret with varying escapes",
    fill(mebibyte, (i) =>
      [...(secrets[2] ?? "")]
        .map((c, at) => ((i >> at) & 1 ? `%${c.charCodeAt(0).toString(16)}` : c))
        .join(""),
    ),
  ],
];

/** The minimum of many runs, each with a new mask, because other programs may use the machine. */
function measureMs(run: () => void): number {
  let minimum = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let round = 0; round < 200 && spent < 1500; round += 1) {
    const startedAt = performance.now();
    run();
    const ms = performance.now() - startedAt;
    minimum = Math.min(minimum, ms);
    spent += ms;
  }
  return minimum;
}

const picked = process.argv[3] ?? "";
console.log(`${root}: ten secrets, the minimum of up to 200 runs`);
for (const [name, text] of texts) {
  if (!name.includes(picked)) continue;
  const json = JSON.stringify(text);
  const parseMs = measureMs(() => JSON.parse(json));
  let masked = "";
  const maskMs = measureMs(() => {
    const mask = createMask({ ring, userId, enabled: true });
    for (const secret of secrets) mask.addSecret(secret);
    try {
      masked = mask.sealText(text);
    } catch (thrown) {
      if (!(thrown instanceof TooManySecretsError)) throw thrown;
      masked = "[";
    }
  });
  const how = masked === text ? "unchanged" : masked.startsWith("[") ? "left out" : "sealed";
  const ratio = (maskMs / parseMs).toFixed(1);
  console.log(
    `${name.padEnd(46)} ${maskMs.toFixed(1).padStart(8)} ms  ${ratio.padStart(7)} × JSON.parse  ${how}`,
  );
}
