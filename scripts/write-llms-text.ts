/**
 * Writes llms.txt from the index of the documentation: `npx bun scripts/write-llms-text.ts`. A test checks that
 * it is up to date. A running hub serves its own at `/llms.txt`, with its own addresses.
 */
import { join, resolve } from "node:path";
import { toLlmsText } from "../packages/server/src/docs/llms-text.ts";

const root = resolve(import.meta.dirname, "..");

/** The file of the repository: links are paths, and the address is that of a hub on this machine. */
export async function makeLlmsText(): Promise<string> {
  return toLlmsText({
    index: await Bun.file(join(root, "docs/README.md")).text(),
    mcpUrl: "http://localhost:7420/mcp",
    toUrl: (topic) => `docs/${topic === "decisions" ? "decisions/README" : topic}.md`,
  });
}

if (import.meta.main) await Bun.write(join(root, "llms.txt"), await makeLlmsText());
