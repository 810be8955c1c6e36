import { expect, test } from "bun:test";
import { findAct, type Press } from "./key-rules.ts";

const plain: Press = {
  key: "a",
  repeat: false,
  isComposing: false,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  defaultPrevented: false,
  scope: "page",
};
const done: string[] = [];
const acts = {
  a: { run: () => done.push("a"), waits: true },
  c: { run: () => done.push("c") },
  "?": { run: () => done.push("?") },
  Escape: { run: () => done.push("Escape") },
};
const press = (given: Partial<Press>, state = { isOn: true, isSettled: true }) => {
  done.length = 0;
  findAct(acts, { ...plain, ...given }, state)?.();
  return done.join();
};

test("A key of the page does what is named for it, also with caps lock", () => {
  expect(press({})).toBe("a");
  expect(press({ key: "A" })).toBe("a");
  expect(press({ key: "?", shiftKey: true })).toBe("?");
  expect(press({ key: "x" })).toBe("");
  expect(press({ key: "toString" })).toBe("");
});

test.each([
  ["while one types", { scope: "field" }],
  ["in the menu or in a dialog", { scope: "elsewhere" }],
  ["while an input method composes", { isComposing: true }],
  ["on a key that is held down", { repeat: true }],
  ["with Ctrl", { ctrlKey: true }],
  ["with ⌘", { metaKey: true }],
  ["with Alt", { altKey: true }],
  ["with Shift", { key: "A", shiftKey: true }],
  ["if something else has used it", { defaultPrevented: true }],
] as const)("A key does nothing %s", (_when, given) => {
  expect(press(given)).toBe("");
});

test("A key that decides does nothing before the card has been shown for a while, and a field opens at once", () => {
  const early = { isOn: true, isSettled: false };
  expect(press({}, early)).toBe("");
  expect(press({ key: "c" }, early)).toBe("c");
});

test("Single characters can be switched off, Escape cannot", () => {
  const off = { isOn: false, isSettled: true };
  expect([press({}, off), press({ key: "?" }, off)]).toEqual(["", ""]);
  expect(press({ key: "Escape" }, off)).toBe("Escape");
});
