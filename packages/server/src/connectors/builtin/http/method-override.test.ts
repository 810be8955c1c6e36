import { expect, spyOn, test } from "bun:test";
import { refuseMethodOverride } from "./method-override.ts";
import { isRefusedHeader } from "./request-headers.ts";

const free = { yieldToEventLoop: async () => {} };
const form = "application/x-www-form-urlencoded";
const plain = new URL("https://api.example/orders/7");

test.each([
  ["the query", new URL("?_method=DELETE", plain), null],
  ["the query, encoded", new URL("?%5Fmethod=put", plain), null],
  ["the second of two", new URL("?_method=post&_method=DELETE", plain), null],
  ["a form", plain, { content: "a=1&_method=DELETE", contentType: form }],
  [
    "a form, encoded",
    plain,
    { content: "%5f%6dethod=DELETE", contentType: `${form};charset=utf-8` },
  ],
  ...[
    ...["a=1&_m%65thod=DELETE", "%5f%6d%65%74%68%6f%64=DELETE", "_method", "_method%00x=DELETE"],
    ...[" _method=DELETE", "a&+_method=DELETE", "%20%20_method=DELETE", ".method=DELETE"],
    ...["%2Emethod=DELETE", "[method=DELETE", "%5Bmethod=DELETE", "a=1;_method=DELETE"],
    ...["a=1; _method=DELETE", "_method=POST&".repeat(101), `${"+".repeat(500)}_method=PUT`],
  ].map((content) => [content.slice(0, 40), plain, { content, contentType: form }] as const),
  ["the query, as PHP reads it", new URL("?.method=DELETE", plain), null],
  [
    "JSON that is too deep to be parsed",
    plain,
    { content: `{"_method":"x","a":${"[".repeat(1000)}`, contentType: "application/json" },
  ],
  ...["name='_method'", "name=_method;", 'name=" _method"', 'name=".method"'].map(
    (head) =>
      [
        `a part with ${head}`,
        plain,
        {
          content: `content-disposition: form-data; ${head}\r\n`,
          contentType: "multipart/form-data",
        },
      ] as const,
  ),
  [
    "a form in bytes",
    plain,
    { content: Buffer.from("\xff=1&_method=DELETE", "latin1"), contentType: form },
  ],
  [
    "an object of JSON",
    plain,
    { content: '{"_method":"DELETE"}', contentType: "application/json" },
  ],
  [
    "JSON, escaped",
    plain,
    { content: '{"\\u005fmethod":"DELETE"}', contentType: "application/json" },
  ],
  [
    "a part of a multipart body",
    plain,
    {
      content: 'content-disposition: form-data; name="_method"\r\n\r\nDELETE',
      contentType: "multipart/form-data; boundary=x",
    },
  ],
])("A post that would act as another method by %s is refused", async (_, url, body) => {
  await expect(refuseMethodOverride(free, "POST", { url, body })).rejects.toThrow(
    /use the operation of that method/,
  );
});

test.each([
  ["its own method", new URL("?_method=post", plain), null],
  ["a text that only mentions it", plain, { content: "_method=DELETE", contentType: "text/plain" }],
  ["a nested member", plain, { content: '{"a":{"_method":"x"}}', contentType: "application/json" }],
  ...[
    "a=?_method=PUT",
    "x_method=PUT",
    "_methods=PUT",
    "_METHOD=PUT",
    "_m=PUT&ethod=PUT",
    "a=1& b=2",
  ].map((content) => [`the form ${content}`, plain, { content, contentType: form }] as const),
  ["its own method, escaped", plain, { content: "_method=p%6fst", contentType: form }],
  ["another parameter", new URL("?payment_method=card", plain), null],
])("A post with %s is sent", async (_, url, body) => {
  await refuseMethodOverride(free, "POST", { url, body });
});

test("Of a form, only fields with the name are read (held event loop)", async () => {
  const read = spyOn(String.prototype, "slice");
  try {
    const body = { content: "_&%&%5f&.m&".repeat(10_000), contentType: form };
    await refuseMethodOverride(free, "POST", { url: plain, body });
    expect(read).not.toHaveBeenCalled();
    const named = { content: "_method=POST", contentType: form };
    await refuseMethodOverride(free, "POST", { url: plain, body: named });
    expect(read).toHaveBeenCalledTimes(2);
  } finally {
    read.mockRestore();
  }
});

const step = 512 * 1024;

test.each([
  ["a form", form, `${"&+".repeat(step)}&x`],
  ["a form of blanks", form, `&${"+".repeat(64)}`.repeat(step / 32)],
  ["parts", "multipart/form-data; boundary=x", "name=  ".repeat(step / 3)],
  ["JSON", "application/json", `{"a":"${"_methox".repeat(step / 3)}"}`],
])("A large body of %s is read in steps, with a turn of the event loop after each", async (_, contentType, content) => {
  let turns = 0;
  const yieldToEventLoop = async () => {
    turns += 1;
  };
  const body = { content, contentType };
  await refuseMethodOverride({ yieldToEventLoop }, "POST", { url: plain, body });
  expect(turns).toBe(Math.ceil(content.length / step) - 1);
});

test.each([
  -300, -8, -7, -1, 0, 1,
])("A field beginning %i characters from a step's end is found", async (offset) => {
  for (const name of ["&_method=DELETE", `&${"%20".repeat(64)}%5f%6d%65%74%68%6f%64=DELETE`]) {
    const content = "x".repeat(step + offset) + name + "&y=1".repeat(100);
    const body = { content, contentType: form };
    await expect(refuseMethodOverride(free, "POST", { url: plain, body })).rejects.toThrow(
      "_method",
    );
  }
});

test("A field's name that ends with a step, but not with the form, is another one", async () => {
  const content = `${"x".repeat(step - 9)}&_methods=DELETE`;
  await refuseMethodOverride(free, "POST", { url: plain, body: { content, contentType: form } });
});

test.each([
  ...["X-Forwarded-Prefix", "X-Forwarded-Uri", "X-Original-Path", "x_original-uri"],
  ...["X-HTTP-Method", "X-Original-Method"],
])("A call cannot set %s", (header) => {
  expect(isRefusedHeader(header)).toBeTrue();
});
