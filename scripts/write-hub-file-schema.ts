/**
 * Writes docs/reference/hub-file.schema.json from the schema of hub files:
 * `npx bun scripts/write-hub-file-schema.ts && npm run format`. A test checks that the file is up to date.
 */
import { join, resolve } from "node:path";
import { toHubFileJsonSchema } from "../packages/contract/src/hub-file.ts";

export const schemaFile = join(
  resolve(import.meta.dirname, ".."),
  "docs/reference/hub-file.schema.json",
);

if (import.meta.main) {
  await Bun.write(schemaFile, `${JSON.stringify(toHubFileJsonSchema(), null, 2)}\n`);
}
