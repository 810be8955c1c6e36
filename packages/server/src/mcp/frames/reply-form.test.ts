import { expect, test } from "bun:test";
import { readReplyForm } from "./reply-form.ts";

test.each([
  [null, "json"],
  ["*/*", "json"],
  ["application/json", "json"],
  ["text/html", "json"],
  ["application/json, text/event-stream", "either"],
  ["text/event-stream, application/json", "either"],
  ["text/event-stream, */*;q=0.1", "either"],
  ["TEXT/Event-Stream; charset=utf-8, Application/JSON;q=0.9", "either"],
  ["text/event-stream", "events"],
  ["text/event-stream, text/plain", "events"],
  ["text/event-stream, application/json;q=0", "events"],
  ["application/json, text/event-stream;q=0.0", "json"],
] as const)("Accept %p means %p", (accept, form) => {
  expect(readReplyForm(accept)).toBe(form);
});
