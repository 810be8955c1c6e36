import { expect, test } from "bun:test";
import { z } from "zod";
import { createApiRequest } from "../testing/api-request.ts";
import { sendList } from "./send-list.ts";

const schema = z.object({ name: z.string(), items: z.array(z.object({ n: z.number() })) });

function send(pages: Array<{ n: number; secret?: string }[]>) {
  const given = createApiRequest();
  async function* toPages() {
    yield* pages;
  }
  const head = { name: "list" };
  const answer = sendList(given.req, { schema, member: "items", head, pages: toPages() });
  return { ...given, answer };
}

for (const [what, pages, streams] of [
  ["no page", [], 0],
  ["one page", [[{ n: 1 }]], 0],
  ["two pages", [[{ n: 1 }, { n: 2 }], [{ n: 3 }]], 1],
  ["four pages", [[{ n: 1 }], [{ n: 2 }], [{ n: 3 }], [{ n: 4 }, { n: 5 }]], 1],
] as const) {
  test(`A list of ${what} is one JSON object`, async () => {
    const { answer, holds } = send(pages.map((page) => [...page]));
    expect(await (await answer).json()).toEqual({ name: "list", items: pages.flat() });
    expect(holds).toEqual({ begun: streams, ended: streams });
  });
}

test("Members that the schema does not name are not sent, on any page", async () => {
  const page = [{ n: 1, secret: "x" }];
  const { answer } = send([page, page, page]);
  expect(await (await answer).text()).toBe('{"name":"list","items":[{"n":1},{"n":1},{"n":1}]}');
});

test("A page is read when the client has read the one before", async () => {
  const { req } = createApiRequest();
  let read = 0;
  async function* pages() {
    for (; read < 1_000; read += 1) yield [{ n: read }];
  }
  const answer = await sendList(req, {
    schema,
    member: "items",
    head: { name: "" },
    pages: pages(),
  });
  const reader = answer.body?.getReader();
  await reader?.read();
  expect(read).toBeLessThan(5);
  await reader?.cancel();
  expect(read).toBeLessThan(5);
});
