import { expect, test } from "bun:test";
import { discoverTools } from "./discover-tools.ts";

type Session = Parameters<typeof discoverTools>[0];
type Context = Parameters<typeof discoverTools>[1];

test("A list of tools whose cursors are long is refused at the first one, since each is kept and sent back", async () => {
  let pages = 0;
  const session = {
    async request() {
      pages += 1;
      return { tools: [], nextCursor: `${pages}${"0".repeat(20_000)}` };
    },
  };
  // Only this function of the session is used, and none of the context.
  const found = discoverTools(session as unknown as Session, {} as unknown as Context);
  await expect(found).rejects.toThrow("a cursor of more than 16384 characters");
  expect(pages).toBe(1);
});
