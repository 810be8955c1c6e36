import { resolve } from "node:path";
import { installGenerator } from "../load/install-generator.ts";

export type CountTokens = (text: string) => number;

/** That of GPT-4o and later models, `o200k`. */
export async function loadTokenizer(): Promise<CountTokens> {
  await installGenerator();
  // A late import by path, because it is installed into this folder and not the product's.
  const path = resolve(
    import.meta.dirname,
    "../node_modules/gpt-tokenizer/esm/encoding/o200k_base.js",
  );
  const module: { countTokens: CountTokens } = await import(path);
  return module.countTokens;
}
