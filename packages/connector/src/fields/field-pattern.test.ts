import { expect, test } from "bun:test";
import { defineConnector } from "../define-connector.ts";
import { wick } from "../field-tags.ts";
import { fromModuleManifest } from "../plugin/manifest/from-module-manifest.ts";
import { toModuleManifest } from "../plugin/manifest/to-module-manifest.ts";
import { toStoredText } from "./config-values.ts";

const define = (tag: string) =>
  defineConnector({
    key: "shop",
    name: "Shop",
    icon: "shopping-cart",
    tier: "plugin",
    description: "Sells.",
    config: { BaseURL: wick(tag as "url") },
    operations: { list: { description: "Lists.", run: () => null } },
  });

const tag = "url;pattern=^https://[^/?#]+/?$;hint=must be https and a host only";
const found = define(tag).configFields[0];
if (found === undefined) throw new Error("The field is there.");
const field = found;

test.each(["https://x.example", "https://x.example/", ""])("%p is saved", (text) => {
  expect(toStoredText(field, text)).toHaveProperty("text");
});

test.each([
  "https://x.example/path",
  "https://ada:hunter2@x.example/?q",
  `https://x.example${"a".repeat(2000)}`,
])("%p is refused with the message of the tag, without repeating the value", (text) => {
  expect(toStoredText(field, text)).toEqual({
    issue: { path: "base_url", message: "must be https and a host only" },
  });
});

test("A plugin's manifest contains the pattern; an invalid regular expression checks nothing", () => {
  const manifest = JSON.parse(JSON.stringify(toModuleManifest(define(tag))));
  expect(fromModuleManifest(manifest, 2).configFields[0]?.pattern).toEqual(field.pattern);
  manifest.Configs[0].pattern = "(";
  expect(fromModuleManifest(manifest, 2).configFields[0]?.pattern).toBeUndefined();
});

test.each([
  ["url;pattern=^x$", 'needs a "hint="'],
  ["url;hint=must be x", 'needs a "pattern="'],
  ["url;pattern=(;hint=must be x", "must be a regular expression"],
  [`url;pattern=${"x".repeat(301)};hint=must be x`, "at most 300 characters"],
])("The tag %p is refused", (wrong, words) => {
  expect(() => define(wrong)).toThrow(words);
});
