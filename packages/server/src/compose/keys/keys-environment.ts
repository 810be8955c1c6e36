import { createKeyRing, formatKeyId } from "../../secrets/keys/key-ring.ts";
import { readRequiredKeyFile } from "../../store/data-folder/key-file.ts";

/** The keys of a data folder as the setting HUB_ENC_KEY, the sealing key first, and their ids. */
export async function toEnvironment(dataDir: string): Promise<{ line: string; ids: string[] }> {
  const keys = await readRequiredKeyFile(dataDir);
  const ids = [...createKeyRing(keys).keys.keys()].map(formatKeyId);
  return { line: `HUB_ENC_KEY=${keys.map((key) => key.toHex()).join(",")}`, ids };
}
