import { expect, test } from "bun:test";
import { limitSeals, TooManySecretsError } from "./limit-seals.ts";

/** A sealer that counts its calls. */
function openCounting() {
  const asked: string[] = [];
  const limited = limitSeals({
    seal: (text) => `token of ${text}`,
    isGenuine(token) {
      asked.push(token);
      return true;
    },
  });
  return { limited, asked };
}

test("A value with too many fake tokens to check at once goes to the worker", () => {
  const { limited, asked } = openCounting();
  const openAll = (count: number) => {
    for (let at = 0; at < count; at += 1) limited.isGenuine(`hub_enc_${at}`);
  };
  openAll(128);
  openAll(128);
  expect(() => openAll(129)).toThrow(TooManySecretsError);
  expect(new Set(asked).size).toBe(128);
  limited.restart();
  for (let at = 1000; at < 1128; at += 1) limited.isGenuine(`hub_enc_${at}`);
  expect(() => limited.isGenuine("hub_enc_9")).toThrow(TooManySecretsError);
});

test("A value with too many forms of secrets to seal at once goes to the worker", () => {
  const { limited } = openCounting();
  const sealAll = (first: number, count: number) => {
    for (let at = 0; at < count; at += 1) limited.seal(`form ${first + at}`, false);
  };
  sealAll(0, 128);
  sealAll(0, 128);
  expect(() => limited.seal("form 128", false)).toThrow(TooManySecretsError);
  limited.restart();
  sealAll(1000, 128);
  expect(() => limited.seal("form 128", false)).toThrow(TooManySecretsError);
});

test("Checking fake tokens reads at most as many characters as a text on the event loop has", () => {
  const { limited, asked } = openCounting();
  for (let at = 0; at < 200; at += 1) limited.isGenuine("x".repeat(10_000 + at));
  expect(asked.join("").length).toBeWithin(200_000, 256 * 1024 + 1);
  limited.restart();
  asked.length = 0;
  limited.isGenuine("y".repeat(256 * 1024));
  limited.isGenuine("z");
  expect(asked.map(({ length }) => length)).toEqual([256 * 1024]);
});
