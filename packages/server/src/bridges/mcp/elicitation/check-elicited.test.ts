/** Protects: a server leads users to pages of approved hosts alone. */
import { expect, test } from "bun:test";
import { checkElicited, readPageHosts } from "./check-elicited.ts";

const pageHosts = readPageHosts("good.example, https://Login.Example/path\nbücher.example:8443 %%");
const shows = { form: true, url: true };
const check = (url: unknown, message: unknown = "Open it.") =>
  checkElicited({ mode: "url", message, url }, { shows, pageHosts });

test("The hosts of the field are names as they stand in an address", () => {
  expect([...pageHosts]).toEqual(["good.example", "login.example", "xn--bcher-kva.example:8443"]);
  expect(readPageHosts(undefined).size).toBe(0);
});

test.each([
  "https://good.example/a?b#c",
  "https://GOOD.example:443/",
  "https://bücher.example:8443/",
])("The page %s is shown", (url) => {
  expect(check(url)).toEqual({ message: "Open it.", url: new URL(url).href });
});

test.each([
  "https://evil.example/",
  "https://sub.good.example/",
  "https://good.example.evil.example/",
  "https://good.example:8443/",
  "https://bücher.example/",
  "http://good.example/",
  "https://good.example@evil.example/",
  "https://user@good.example/",
  "https://user:pass@good.example/",
  "javascript:alert(1)//good.example",
  "good.example",
  `https://good.example/${"x".repeat(2000)}`,
  7,
])("The page %s is refused", (url) => {
  expect(check(url)).toHaveProperty("refused");
});

test("A page needs a short message, and a client that opens pages", () => {
  expect(check("https://good.example/", "x".repeat(2001))).toHaveProperty("refused");
  expect(check("https://good.example/", 7)).toHaveProperty("refused");
  const page = { mode: "url", message: "Open it.", url: "https://good.example/" };
  expect(checkElicited(page, { shows: { form: true, url: false }, pageHosts })).toHaveProperty(
    "refused",
  );
  const form = { message: "Who?", requestedSchema: { type: "object", properties: {} } };
  expect(checkElicited(form, { shows: { form: false, url: true }, pageHosts })).toHaveProperty(
    "refused",
  );
});
