/** Protects: only pages of the origins that a trigger names can use a webhook in a browser, never with its cookies. */
import { expect, test } from "bun:test";
import { webhookTriggerSchema } from "@hub/contract/workflow-trigger.ts";
import {
  findPreflightMethod,
  isOriginAllowed,
  toCorsHeaders,
  toPreflightHeaders,
} from "./cors-headers.ts";

const trigger = (fields: object) =>
  webhookTriggerSchema.parse({ id: "hook", type: "webhook", entry: "out", ...fields });
const from = (origin: string | null, more: Record<string, string> = {}) =>
  new Headers({ ...(origin !== null && { origin }), ...more });

const shop = "https://shop.example";

test.each([
  ["the origin itself", [shop], shop, true],
  ["one of several", ["https://a.example", shop], shop, true],
  ["any origin", "*", "https://any.example", true],
  ["a page of a file, by *", "*", "null", true],
  ["another spelling in the list", ["HTTPS://Shop.Example:443"], shop, true],
  [
    "an international name in the list",
    ["https://münchen.example"],
    "https://xn--mnchen-3ya.example",
    true,
  ],
  ["a port of its own", ["http://localhost:5173"], "http://localhost:5173", true],
  ["an extension of a browser", ["chrome-extension://abc"], "chrome-extension://abc", true],
  ["another port", ["http://localhost:5173"], "http://localhost:5174", false],
  ["another scheme", [shop], "http://shop.example", false],
  ["a longer host", [shop], "https://shop.example.evil.example", false],
  ["a prefix of a host", [shop], "https://shop.exampl", false],
  ["a subdomain", [shop], "https://www.shop.example", false],
  ["the origin of a file", [shop], "null", false],
  ["no origin", "*", null, false],
  ["nothing allowed", undefined, shop, false],
] as const)("Of %s, the answer is allowed or not", (_, allowed, origin, isAllowed) => {
  const rules = trigger({ allow_origins: allowed });
  const headers = from(origin);
  expect(isOriginAllowed(rules, headers)).toBe(isAllowed);
  const sent = toCorsHeaders(rules, headers);
  expect("access-control-allow-origin" in sent).toBe(isAllowed);
  expect(sent.vary).toBe(allowed === undefined ? undefined : "Origin");
  expect(JSON.stringify(sent)).not.toContain("credentials");
});

test.each([
  ["https://shop.example/"],
  ["https://shop.example/path"],
  ["https://*.example"],
  ["shop.example"],
  ["https://user@shop.example"],
  ["https://shop.example?x"],
  ["null"],
  ["https://a.example, https://b.example"],
  ["https://a.example\r\nx: y"],
  [""],
])("%j is no origin", (origin) => {
  const fields = { id: "hook", type: "webhook", entry: "out", allow_origins: [origin] };
  expect(webhookTriggerSchema.safeParse(fields).success).toBe(false);
});

test("A preflight names the methods of its trigger, and the headers that the browser asks for", () => {
  const asked = from(shop, {
    "access-control-request-method": "PUT",
    "access-control-request-headers": "content-type, x-hub-sig",
  });
  expect(findPreflightMethod({ method: "OPTIONS", headers: asked })).toBe("PUT");
  expect(findPreflightMethod({ method: "POST", headers: asked })).toBeNull();
  expect(findPreflightMethod({ method: "OPTIONS", headers: from(shop) })).toBeNull();
  const rules = trigger({ method: ["POST", "PUT"], allow_origins: [shop] });
  expect(toPreflightHeaders(rules, asked)).toEqual({
    "access-control-allow-methods": "POST, PUT",
    "access-control-allow-headers": "content-type, x-hub-sig",
    "access-control-max-age": "600",
    vary: "Access-Control-Request-Headers",
  });
});

test.each([
  "x".repeat(2000),
  "a: b",
  "a;b",
  "<a>",
])("A request for headers that are no names gets none of them back: %j", (requested) => {
  const headers = from(shop, { "access-control-request-headers": requested });
  const rules = trigger({ allow_origins: "*" });
  expect(toPreflightHeaders(rules, headers)["access-control-allow-headers"]).toBe("*");
});
