import { expect, spyOn, test } from "bun:test";
import { refuseMethodOverride } from "./method-override.ts";
import { isRefusedHeader } from "./request-headers.ts";

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
  ["a form, after a question mark", plain, { content: "?_method=DELETE", contentType: form }],
  [
    "a form, each letter encoded",
    plain,
    { content: "%5F%6D%65%74%68%6F%64=%50", contentType: form },
  ],
  ["a form, without a value", plain, { content: "a&_method", contentType: form }],
  [
    "a form, a thousand times",
    plain,
    { content: "_method=post&".repeat(1_001), contentType: form },
  ],
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
])("A post that would act as another method by %s is refused", (_, url, body) => {
  expect(() => refuseMethodOverride("POST", url, body)).toThrow(/use the operation of that method/);
});

test.each([
  ["its own method", new URL("?_method=post", plain), null],
  ["a text that only mentions it", plain, { content: "_method=DELETE", contentType: "text/plain" }],
  ["a nested member", plain, { content: '{"a":{"_method":"x"}}', contentType: "application/json" }],
  ["another parameter", new URL("?payment_method=card", plain), null],
  [
    "other fields in a form",
    plain,
    { content: "_methods=x&payment_method=card&_METHOD=x&_method=post", contentType: form },
  ],
])("A post with %s is sent", (_, url, body) => {
  expect(() => refuseMethodOverride("POST", url, body)).not.toThrow();
});

/** Protects: a user cannot hold the hub for seconds with a form of millions of fields. */
test("Of a form, only the fields with the name of the parameter are parsed", () => {
  const content = `${"%&_&".repeat(1_000)}_method=DELETE`;
  using read = spyOn(URLSearchParams.prototype, "getAll");
  const check = () => refuseMethodOverride("POST", plain, { content, contentType: form });
  expect(check).toThrow(/use the operation of that method/);
  // Once for the query, and once for the field.
  expect(read).toHaveBeenCalledTimes(2);
});

test.each([
  ...["X-Forwarded-Prefix", "X-Forwarded-Uri", "X-Original-Path", "x_original-uri"],
  ...["X-HTTP-Method", "X-Original-Method"],
])("A call cannot set %s", (header) => {
  expect(isRefusedHeader(header)).toBeTrue();
});
