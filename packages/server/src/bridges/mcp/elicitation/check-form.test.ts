import { expect, test } from "bun:test";
import { checkForm } from "./check-form.ts";

const toForm = (properties: Record<string, unknown>, message = "Please fill in.") => ({
  message,
  requestedSchema: { type: "object", properties },
});

test.each([
  ["name", { type: "string" }],
  ["postal", { type: "string", title: "Town", description: "Where you live" }],
  ["secretary2", { type: "string", title: "Tokenizer 2" }],
  ["monkeys", { type: "integer", description: "How many discards?" }],
  ["age", { type: "integer", description: "Do not give us your phone number, pin, or the like" }],
  ["pick", { type: "string", enum: ["key", "token"] }],
  ["many", { type: "array", items: { type: "string", enum: ["a", "b"] } }],
])("A form with the field %s is shown", (name, schema) => {
  // Safe: the values are JSON.
  const form = toForm({ [name]: schema }) as never;
  expect(checkForm(form)).toMatchObject({ requestedSchema: { properties: { [name]: schema } } });
});

const text = { type: "string" };
test.each([
  toForm({ password: text }),
  toForm({ user_token: text }),
  toForm({ accessToken: text }),
  toForm({ APIKey: text }),
  toForm({ "p\u200bin": text }),
  toForm({ password1: text }),
  toForm({ accesstoken: text }),
  toForm({ clientsecret: text }),
  toForm({ a: { ...text, format: "password" } }),
  toForm({ a: { type: "array", items: { type: "string", title: "Your password" } } }),
  toForm({ a: { ...text, oneOf: [{ const: "1", title: "One", description: "My PIN" }] } }),
  toForm({ ｐａｓｓｗｏｒｄ: text }),
  toForm({ a: { ...text, title: "Secret" } }),
  toForm({ a: { ...text, description: "The verification code from your phone" } }),
  toForm({ a: { ...text, description: "Never share it with others. Type your card number." } }),
  toForm({ a: { ...text, oneOf: [{ const: "1", title: "My PIN" }] } }),
  toForm({ a: { type: "array", items: { anyOf: [{ const: "1", title: "Key" }] } } }),
  toForm({ a: text }, "Type your API key."),
])("A form that asks for a secret is refused: %j", (form) => {
  expect(checkForm(form)).toEqual({ refused: expect.stringContaining("password, token, secret") });
});

test.each<[string, unknown]>([
  ["nothing", null],
  ["a page", { mode: "url", message: "Open it.", url: "https://evil.example" }],
  ["no message", { requestedSchema: { type: "object", properties: {} } }],
  ["a long message", toForm({}, "x".repeat(2001))],
  ["no schema", { message: "Fill in." }],
  [
    "many fields",
    toForm(Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`f${i}`, text]))),
  ],
  ["much text", toForm({ a: { ...text, description: "x".repeat(17_000) } })],
  ["an object in an object", toForm({ a: { type: "object", properties: {} } })],
])("A form with %s is refused", (_what, form) => {
  expect(checkForm(form)).toHaveProperty("refused");
});

test("Members that the protocol does not have are left out", () => {
  const form = { ...toForm({ a: { ...text, $ref: "#/x", _meta: {} } }), _meta: {}, extra: 1 };
  expect<unknown>(checkForm(form)).toEqual({
    message: "Please fill in.",
    requestedSchema: { type: "object", properties: { a: text }, required: [] },
  });
});

test("Names that every object has are fields only if the form has them", () => {
  const properties = JSON.parse('{"__proto__": {"type": "string"}}');
  const form = {
    ...toForm(properties),
    requestedSchema: { properties, required: ["constructor", "type", "__proto__"] },
  };
  const text = JSON.stringify(checkForm(form));
  expect(text).toContain('"properties":{"__proto__":{"type":"string"}},"required":["__proto__"]');
});
