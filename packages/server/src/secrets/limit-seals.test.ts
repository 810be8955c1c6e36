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
  openAll(128);
});

test("Checking fake tokens reads at most as many characters as a text on the event loop has", () => {
  const { limited, asked } = openCounting();
  for (let at = 0; at < 200; at += 1) limited.isGenuine("x".repeat(10_000 + at));
  expect(asked.join("").length).toBeWithin(200_000, 256 * 1024 + 1);
});
