import { expect, test } from "bun:test";
import { openTelegram } from "./telegram-client.ts";

test("A refusal without a description is told as such", async () => {
  const client = await openTelegram({
    token: "1:abc",
    baseUrl: "https://telegram.test",
    fetch: async () => Response.json({ ok: false, error_code: 400 }),
  });
  const refused = client.call((api) => api.getMe());
  await expect(refused).rejects.toThrow("Telegram answered 400: no description");
});
