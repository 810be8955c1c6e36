/** Protects: a delivery that its sender repeats starts one run, and two events never count as one. */
import { expect, test } from "bun:test";
import { HubError } from "../../../errors.ts";
import { findDelivery } from "./find-delivery.ts";

type Sent = {
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  template?: string;
  hold?: (chars: number) => void;
};

function find({ headers = {}, body, text, template, hold = () => {} }: Sent) {
  const all = { "content-type": "application/json", ...headers };
  const raw = new TextEncoder().encode(text ?? (body === undefined ? "" : JSON.stringify(body)));
  return findDelivery({
    trigger: { id: "hook", ...(template !== undefined && { delivery_id: template }) },
    headers: new Headers(all),
    payload: { path: "", method: "POST", headers: all, query: { n: "7" } },
    raw,
    hold,
    source: "192.0.2.1",
    env: { SHOP: "main" },
    now: Date.UTC(2026, 0, 1),
  });
}

/** By the documentation of each sender. */
test.each([
  ["a hub", { "X-Hub-Delivery": "d-1" }, "d-1"],
  [
    "GitHub",
    { "X-GitHub-Delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958" },
    "72d3162e-cc78-11e3-81ab-4c9367dc0958",
  ],
  ["an Idempotency-Key", { "Idempotency-Key": "01a2:send:-1:0" }, "01a2:send:-1:0"],
  [
    "Standard Webhooks",
    { "webhook-id": "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W" },
    "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W",
  ],
  ["Svix", { "svix-id": "msg_p5jXN8AQM9LWM0D4loKWxJek" }, "msg_p5jXN8AQM9LWM0D4loKWxJek"],
  [
    "GitLab 17.4",
    {
      "Idempotency-Key": "f5e5f430-f57b-4e6e-9fac-d9128cd7232f",
      "X-Gitlab-Event-UUID": "13792a34-cac6-4fda-95a8-c58e00a3954e",
    },
    "f5e5f430-f57b-4e6e-9fac-d9128cd7232f",
  ],
  [
    "Shopify",
    { "X-Shopify-Webhook-Id": "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043" },
    "b54557e4-bdd9-4b37-8a5f-bf7d70bcd043",
  ],
  ["Twilio", { "I-Twilio-Idempotency-Token": "token-1" }, "token-1"],
  ["Jira", { "X-Atlassian-Webhook-Identifier": "1c7f4cbd-8a3a-4b4f" }, "1c7f4cbd-8a3a-4b4f"],
  [
    "Linear",
    { "Linear-Delivery": "234d1a4e-b617-4388-90fe-adc3633d6b72" },
    "234d1a4e-b617-4388-90fe-adc3633d6b72",
  ],
  ["Zendesk", { "X-Zendesk-Webhook-Invocation-Id": "01F" }, "01F"],
  ["Gitea", { "X-Gitea-Delivery": "f6266f16" }, "f6266f16"],
  ["Contentful", { "X-Contentful-Idempotency-Key": "2c26b46b" }, "2c26b46b"],
  ["PandaDoc", { "X-PandaDoc-Webhook-Event-Id": "550e8400" }, "550e8400"],
  ["CloudEvents", { "ce-id": "1234", "ce-source": "/shop" }, "/shop 1234"],
  ["Sentry", { "Request-ID": "s-1", "Sentry-Hook-Resource": "issue" }, "s-1"],
  ["Bitbucket", { "X-Request-UUID": "b-1", "X-Hook-UUID": "the-hook" }, "b-1"],
  ["an id with spaces around it", { "Idempotency-Key": "  k " }, "k"],
])("The id of %s is known by its header", (_, headers, id) => {
  expect(find({ headers: Object.fromEntries(Object.entries(headers)) })).toBe(id);
});

test.each([
  [
    "Stripe",
    "Stripe-Signature",
    { id: "evt_1NG8Du2eZvKYlo2CUI79vXWy", object: "event" },
    "evt_1NG8Du2eZvKYlo2CUI79vXWy",
  ],
  ["Slack", "X-Slack-Signature", { event_id: "Ev08MFMKH6", type: "event_callback" }, "Ev08MFMKH6"],
  [
    "PagerDuty",
    "X-PagerDuty-Signature",
    { event: { id: "5ac64822-4adc-4fda-ade0-410becf0de4f" } },
    "5ac64822-4adc-4fda-ade0-410becf0de4f",
  ],
  ["Discord", "X-Signature-Ed25519", { id: "846462639134605312", type: 2 }, "846462639134605312"],
  [
    "Paddle",
    "Paddle-Signature",
    { event_id: "evt_01hv8wptq8987qeep44cyrewp9" },
    "evt_01hv8wptq8987qeep44cyrewp9",
  ],
  ["Square", "X-Square-HmacSha256-Signature", { event_id: "6a8f5f28" }, "6a8f5f28"],
])("The id of %s is in the body, and is read only beside its header", (_, header, body, id) => {
  expect(find({ headers: { [header]: "x" }, body })).toBe(id);
  expect(find({ body })).toBeNull();
});

test.each([
  ["no id", {}],
  ["an empty id", { "Idempotency-Key": " " }],
  ["a Request-ID, which proxies give to each request of a trace", { "Request-ID": "r" }],
  ["an X-Request-ID", { "X-Request-ID": "r" }],
  ["an X-Webhook-Id, which is often that of the subscription", { "X-Webhook-Id": "w" }],
  ["the id of a hook", { "X-Hook-UUID": "the-hook" }],
  ["a trace", { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" }],
  ["a Message-ID of nothing known", { "X-Message-Id": "m" }],
  ["the id of GitHub's hook", { "X-GitHub-Hook-ID": "292430182" }],
  ["the webhook of GitLab", { "X-Gitlab-Webhook-UUID": "g" }],
])("%s is no id of a delivery", (_, headers) => {
  expect(
    find({ headers: Object.fromEntries(Object.entries(headers)), body: { id: "x" } }),
  ).toBeNull();
});

test("Events of GitLab that lead to one another share an id, and are told apart by their bodies", () => {
  const headers = { "X-Gitlab-Event-UUID": "13792a34-cac6-4fda-95a8-c58e00a3954e" };
  const first = find({ headers, body: { object_kind: "push" } });
  expect(first).toStartWith("13792a34-cac6-4fda-95a8-c58e00a3954e:");
  expect(find({ headers, body: { object_kind: "push" } })).toBe(first);
  expect(find({ headers, body: { object_kind: "note" } })).not.toBe(first);
});

test("Deliveries of WooCommerce within one second share an id, and are told apart by their bodies", () => {
  const headers = { "X-WC-Webhook-Delivery-ID": "c4ca4238a0b923820dcc509a6f75849b" };
  const first = find({ headers, body: { id: 1, status: "processing" } });
  expect(first).toStartWith("c4ca4238a0b923820dcc509a6f75849b:");
  expect(find({ headers, body: { id: 1, status: "processing" } })).toBe(first);
  expect(find({ headers, body: { id: 2, status: "processing" } })).not.toBe(first);
});

test("A CloudEvent from a long source is not refused, and keeps an id of its own", () => {
  const of = (id: string, source: string) =>
    find({ headers: { "ce-id": id, "ce-source": source } });
  const long = `/subscriptions/${"s".repeat(300)}`;
  const first = of("1", long);
  expect(first).toHaveLength(64);
  expect(of("1", long)).toBe(first);
  expect(of("2", long)).not.toBe(first);
  expect(of("1", `${long}x`)).not.toBe(first);
});

test("What is made of a body to find its id is counted", () => {
  let chars = 0;
  const hold = (more: number) => {
    chars += more;
  };
  find({ headers: { "stripe-signature": "x" }, body: { id: "evt_1" }, hold });
  expect(chars).toBe(JSON.stringify({ id: "evt_1" }).length);
});

test.each([
  ["{{.Event.Payload.body.id}}", { id: "a-1" }, "a-1"],
  ["{{.Event.Payload.body.id}}", { id: 12345678901234567890n.toString() }, "12345678901234567890"],
  ["{{.Event.Payload.body.id}}", { id: 7 }, "7"],
  ["{{.Event.Payload.body.a}}-{{.Event.Payload.body.b}}", { a: 1, b: 2 }, "1-2"],
  ["{{.Event.Payload.query.n}}", {}, "7"],
  ["{{.Event.Source}}/{{.Env.SHOP}}", {}, "192.0.2.1/main"],
  ["{{.Event.Payload.body.id}}", {}, null],
  ["{{.Event.Payload.body.id}}", { id: null }, null],
  ["{{.Event.Payload.body.id}}", { id: "" }, null],
  ['{{index .Event.Payload.headers "idempotency-key"}}', {}, "h-1"],
])("With delivery_id %s, the template alone gives the id", (template, body, id) => {
  expect(find({ template, body, headers: { "idempotency-key": "h-1" } })).toBe(id);
});

test.each([
  ["a list", "{{.Event.Payload.body}}", [1]],
  ["an object", "{{.Event.Payload.body}}", {}],
  ["true", "{{.Event.Payload.body}}", true],
  ["what a function refuses", "{{index .Event.Payload.body 5}}", [1]],
  ["a long text", "{{.Event.Payload.body}}", "x".repeat(201)],
])("A request is refused that has %s as its id", (_, template, body) => {
  expect(() => find({ template, body })).toThrow(HubError);
});

test("A large number in a body keeps its digits, and a body that is no JSON has no id", () => {
  const template = "{{.Event.Payload.body.id}}";
  expect(find({ template, text: '{"id":12345678901234567890}' })).toBe("12345678901234567890");
  const headers = { "content-type": "text/plain", "stripe-signature": "x" };
  expect(find({ headers, text: '{"id":"evt_1"}' })).toBeNull();
});
