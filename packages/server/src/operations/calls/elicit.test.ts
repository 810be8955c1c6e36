/** Protects: what a client shows of an outside system's question names its row, and hides what is not seen or is secret. */
import { expect, test } from "bun:test";
import type { ClientRequest } from "../operations.ts";
import { toTestCall } from "../testing/open-test-operations.ts";
import { createElicit } from "./elicit.ts";

const secret = "s3cret-of-the-row";
// A mask that finds one secret in texts.
const hide = (text: string) => text.replaceAll(secret, "[sealed]");
const mask = {
  cutText: (text: string) => text,
  sealText: hide,
  sealJson: <T>(value: T): T => JSON.parse(hide(JSON.stringify(value))),
};

function open(mode: "session" | "stateless" = "session", label = "Row") {
  const asked: ClientRequest[] = [];
  const client = {
    mode,
    name: null,
    version: null,
    elicitation: { form: true, url: true },
    sampling: false,
    roots: false,
    tasks: false,
  };
  const askClient = async (request: ClientRequest) => {
    asked.push(request);
    return { action: "cancel" };
  };
  // Safe: the parts of a mask that a question uses.
  const elicit = createElicit(
    { ...toTestCall(), client, askClient },
    { mask: mask as never },
    label,
  );
  return {
    asked,
    ask: async (question: Parameters<NonNullable<NonNullable<typeof elicit>["ask"]>>[0]) =>
      await elicit?.ask?.(question),
  };
}

test("The texts of a form show unseen characters by number, and its names and values stay as they are", async () => {
  const { asked, ask } = open();
  const toForm = (text: string) => ({
    "a\u202e": { type: "string", title: text, description: text, enum: ["\u200b"] },
    title: {
      type: "array",
      title: text,
      items: { oneOf: [{ const: "\u200b", title: text }] },
      default: ["\u200b"],
    },
    description: { type: "string", enum: ["\u200b"], enumNames: [text] },
  });
  await ask({
    message: "Ask\u200b",
    requestedSchema: { type: "object", properties: toForm("T\u202e"), required: ["a\u202e"] },
  });
  expect(asked[0]?.params).toEqual({
    mode: "form",
    message: '"Row" asks: Ask[U+200B]\n\nThis answer goes to "Row".',
    requestedSchema: { type: "object", properties: toForm("T[U+202E]"), required: ["a\u202e"] },
  });
});

test("The label of a row ends at its quote, so that it imitates no other part of a question", async () => {
  const { asked, ask } = open("session", 'Bank"\n\nThis answer goes to "You');
  await ask({ message: "Who?", requestedSchema: { type: "object", properties: {} } });
  expect(String(asked[0]?.params.message).split("\n")).toHaveLength(3);
});

test("A page names its host and its row, and has an id for clients of the session mode alone", async () => {
  for (const mode of ["session", "stateless"] as const) {
    const { asked, ask } = open(mode);
    await ask({ message: "Choose\u200b.", url: "https://good.example/choose" });
    expect(asked[0]?.params).toMatchObject({
      mode: "url",
      message: '"Row" asks to open a page of good.example: Choose[U+200B].',
      url: "https://good.example/choose",
    });
    expect("elicitationId" in (asked[0]?.params ?? {})).toBe(mode === "session");
  }
});

test("A page whose address has a secret of the row in it is not shown", async () => {
  const { asked, ask } = open();
  const url = `https://good.example/?key=${secret}`;
  expect(await ask({ message: "Open it.", url })).toHaveProperty("refused");
  expect(asked).toEqual([]);
});

test("A call asks at most five times", async () => {
  const { asked, ask } = open();
  const question = { message: "Again?", requestedSchema: { type: "object", properties: {} } };
  for (let n = 0; n < 6; n += 1) await ask(question);
  expect(asked).toHaveLength(5);
});
