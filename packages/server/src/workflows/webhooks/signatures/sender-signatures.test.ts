/**
 * Protects: a webhook with the preset of a sender takes what this sender signs, and nothing else. The signatures are
 * those of the senders' documentation and libraries, or were made by openssl.
 */
import { expect, test } from "bun:test";
import { checkSender } from "./sender-signatures.ts";
import { listSignatureHeaders, type SignatureKind } from "./signature-kinds.ts";

type Sample = {
  kind: SignatureKind;
  secret: string;
  headers: Record<string, string>;
  body?: string;
  url?: string;
  /** Unix seconds. */
  now?: number;
  fields?: { signature_header?: string; replay_window_s?: number };
};

function check({
  kind,
  secret,
  headers,
  body = "",
  url = "https://hub.example/",
  now = 0,
  fields,
}: Sample) {
  const sent = { headers: new Headers(headers), raw: new TextEncoder().encode(body), url };
  return checkSender({ signature: kind, ...fields }, sent, { secret, now: now * 1000 });
}
const findFault = (sample: Sample) => check(sample).fault;

const form = { "content-type": "application/x-www-form-urlencoded" };
const twilioUrl = "https://mycompany.com/myapp.php?foo=1&bar=2";
const twilioForm =
  "CallSid=CA1234567890ABCDE&Caller=%2B14158675309&Digits=1234&From=%2B14158675309&To=%2B18005551212";

/** One valid request of each sender. */
const valid: Record<string, Sample> = {
  // docs.github.com, "Validating webhook deliveries".
  github: {
    kind: "github",
    secret: "It's a Secret to Everybody",
    body: "Hello, World!",
    headers: {
      "x-hub-signature-256":
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    },
  },
  gitlab: {
    kind: "gitlab",
    secret: "a-secret-token",
    headers: { "x-gitlab-token": "a-secret-token" },
  },
  // printf '{"id":820982911946154508}' | openssl dgst -sha256 -hmac hush -binary | base64
  shopify: {
    kind: "shopify",
    secret: "hush",
    body: '{"id":820982911946154508}',
    headers: { "x-shopify-hmac-sha256": "qBvrsZF7RfB1iS6BX6IHqJTp5L911P7intnPeTPsH0I=" },
  },
  // Made by the library of Stripe (generateTestHeaderString).
  stripe: {
    kind: "stripe",
    secret: "whsec_test_secret",
    now: 1_700_000_000,
    body: '{"id":"evt_test","object":"event"}',
    headers: {
      "stripe-signature":
        "t=1700000000,v1=8042376f6ca064adbe037642a718227dfd59047137eb49497a54c49eb0cfb724",
    },
  },
  // printf 'v0:1531420618:token=x&team_id=T1' | openssl dgst -sha256 -hmac 8f742231b10e8888abcd99yyyzzz85a5
  slack: {
    kind: "slack",
    secret: "8f742231b10e8888abcd99yyyzzz85a5",
    now: 1_531_420_618,
    body: "token=x&team_id=T1",
    headers: {
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": "v0=ee1a198e50481730009ed1fa99d3f2d9cc2ef6ebdfc11672345c4cbcf915c217",
    },
  },
  // The vector of the Standard Webhooks libraries.
  standard: {
    kind: "standard",
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    now: 1_614_265_330,
    body: '{"test": 2432232314}',
    headers: {
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    },
  },
  // twilio.com/docs/usage/security, and the tests of twilio-node.
  twilio: {
    kind: "twilio",
    secret: "12345",
    url: twilioUrl,
    body: twilioForm,
    headers: { ...form, "x-twilio-signature": "RSOYDt4T1cUTdK1PDd93/VVr8B8=" },
  },
  // RFC 7617, section 2.
  basic: {
    kind: "basic",
    secret: "Aladdin:open sesame",
    headers: { authorization: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==" },
  },
  // RFC 6750, section 2.1.
  bearer: {
    kind: "bearer",
    secret: "mF_9.B5f-4.1JqM",
    headers: { authorization: "Bearer mF_9.B5f-4.1JqM" },
  },
  header: {
    kind: "header",
    secret: "key-1",
    fields: { signature_header: "X-Api-Key" },
    headers: { "x-api-key": "key-1" },
  },
};

const each = Object.entries(valid);
const signatureHeader = (sample: Sample) =>
  listSignatureHeaders({ signature: sample.kind, ...sample.fields })[0] ?? "";

test.each(each)("A request of %s is valid", (_, sample) => {
  expect(findFault(sample)).toBeNull();
});

test.each(each)("Without the header of %s, the signature is missing", (_, sample) => {
  const { [signatureHeader(sample)]: left, ...headers } = sample.headers;
  expect(left).toBeString();
  expect(findFault({ ...sample, headers })).toBe("signature_missing");
  expect(findFault({ ...sample, headers: { ...headers, [signatureHeader(sample)]: "" } })).toBe(
    "signature_missing",
  );
});

test.each(
  each,
)("With another secret, or a signature that is changed or cut, %s is refused", (_, sample) => {
  expect(findFault({ ...sample, secret: sample.secret.replace(/.$/, "#") })).not.toBeNull();
  const name = signatureHeader(sample);
  const value = sample.headers[name] ?? "";
  for (const wrong of [
    value.slice(0, -3),
    `${value}0`,
    value.replace(/[a-zA-Z0-9](?=.{2}$)/, "~"),
  ]) {
    expect(findFault({ ...sample, headers: { ...sample.headers, [name]: wrong } })).not.toBeNull();
  }
});

const ofBodies = each.filter(([kind]) => !["gitlab", "basic", "bearer", "header"].includes(kind));

test("Most senders sign the body", () => {
  expect(ofBodies.map(([kind]) => kind)).toEqual([
    ...["github", "shopify", "stripe", "slack", "standard", "twilio"],
  ]);
});

test.each(ofBodies)("Another body than %s signed is refused", (_, sample) => {
  expect(findFault({ ...sample, body: `${sample.body}&x=1` })).toBe("signature_wrong");
});

test.each([
  "stripe",
  "slack",
  "standard",
])("%s may be 300 seconds off, or what replay_window_s says", (kind) => {
  const sample = valid[kind] as Sample;
  const at = sample.now ?? 0;
  expect(findFault({ ...sample, now: at + 300 })).toBeNull();
  expect(findFault({ ...sample, now: at - 300 })).toBeNull();
  expect(findFault({ ...sample, now: at + 301 })).toBe("timestamp_outside_window");
  const fields = { replay_window_s: 10 };
  expect(findFault({ ...sample, fields, now: at + 11 })).toBe("timestamp_outside_window");
  expect(check({ ...sample, fields })).toMatchObject({ signed: { validUntil: (at + 10) * 1000 } });
});

test("Several signatures of Stripe are compared, others than v1 are not, and what is added does not make it another request", () => {
  const sample = valid.stripe as Sample;
  const value = sample.headers["stripe-signature"] ?? "";
  const send = (text: string) => check({ ...sample, headers: { "stripe-signature": text } });
  const plain = send(value);
  expect(send(value.replace("v1=", `v1=${"0".repeat(64)}, v1=`))).toEqual(plain);
  expect(send(`${value},v0=1,v1=2`)).toEqual(plain);
  expect(send(value.replace("v1=", "v0=")).fault).toBe("signature_missing");
  expect(send(value.replace(/t=\d+,/, "")).fault).toBe("timestamp_missing");
  expect(send(value.replace("t=", "t=x")).fault).toBe("timestamp_missing");
  expect(send(value.replace("t=1700000000", "t=1700000001")).fault).toBe("signature_wrong");
});

test("Standard Webhooks takes several signatures, the names of Svix, and keys without their prefix", () => {
  const sample = valid.standard as Sample;
  const {
    "webhook-id": id = "",
    "webhook-timestamp": time = "",
    "webhook-signature": value = "",
  } = sample.headers;
  const several = {
    ...sample.headers,
    "webhook-signature": `v1,AAAA v1a,hnO3f9T8Ytu9 ${value} v2,x`,
  };
  expect(findFault({ ...sample, headers: several })).toBeNull();
  const svix = { "svix-id": id, "svix-timestamp": time, "svix-signature": value };
  expect(findFault({ ...sample, headers: svix })).toBeNull();
  expect(findFault({ ...sample, secret: sample.secret.replace("whsec_", "") })).toBeNull();
  expect(findFault({ ...sample, headers: { ...sample.headers, "webhook-id": "other" } })).toBe(
    "signature_wrong",
  );
  for (const empty of ["whsec_", "whsec_!!!"]) {
    expect(findFault({ ...sample, secret: empty })).toBe("signature_wrong");
  }
});

test("Twilio signs the public address, sorted fields, repeated names, other alphabets and the hash of JSON", () => {
  const sample = valid.twilio as Sample;
  const send = (given: Partial<Sample>, signature: string) =>
    findFault({
      ...sample,
      ...given,
      headers: { ...(given.headers ?? form), "x-twilio-signature": signature },
    });
  // Made by the library of Twilio (getExpectedTwilioSignature).
  const shuffled = twilioForm.split("&").reverse().join("&");
  expect(send({ body: shuffled }, "RSOYDt4T1cUTdK1PDd93/VVr8B8=")).toBeNull();
  expect(send({ body: "b=2&a=%C3%BC+%C3%A4&b=1&b=2" }, "CsIkLJFxuvbH2aeAe+KaGrxlSTo=")).toBeNull();
  expect(send({ body: "", headers: {} }, "zYQTYrRWXE7LtzbG4PfP7/bkkGo=")).toBeNull();
  expect(
    send({ url: "http://mycompany.com/myapp.php?foo=1&bar=2" }, "RSOYDt4T1cUTdK1PDd93/VVr8B8="),
  ).toBe("signature_wrong");
  expect(
    send(
      { url: "https://mycompany.com:8443/myapp.php?foo=1&bar=2" },
      "RSOYDt4T1cUTdK1PDd93/VVr8B8=",
    ),
  ).toBe("signature_wrong");
  const hashed = `${twilioUrl}&bodySHA256=0a1ff7634d9ab3b95db5c9a2dfe9416e41502b283a80c7cf19632632f96e6620`;
  const text = { url: hashed, headers: { "content-type": "application/json" } };
  const signature = "a9nBmqA0ju/hNViExpshrM61xv4=";
  expect(send({ ...text, body: '{"property": "value", "boolean": true}' }, signature)).toBeNull();
  expect(send({ ...text, body: '{"property": "other", "boolean": true}' }, signature)).toBe(
    "signature_wrong",
  );
  expect(send({ ...text, url: twilioUrl, body: "{}" }, "zYQTYrRWXE7LtzbG4PfP7/bkkGo=")).toBe(
    "signature_wrong",
  );
  expect(send({ body: "a=1&".repeat(20_000) }, "RSOYDt4T1cUTdK1PDd93/VVr8B8=")).toBe(
    "signature_wrong",
  );
});

test.each([
  ["basic", "basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", null],
  ["basic", "Basic   QWxhZGRpbjpvcGVuIHNlc2FtZQ==", null],
  ["basic", "Bearer QWxhZGRpbjpvcGVuIHNlc2FtZQ==", "signature_missing"],
  ["basic", "Basic", "signature_missing"],
  ["basic", "Basic !!!", "signature_missing"],
  ["basic", "Basic QWxhZGRpbg==", "signature_wrong"],
  ["bearer", "bearer mF_9.B5f-4.1JqM", null],
  ["bearer", "Basic mF_9.B5f-4.1JqM", "signature_missing"],
  ["bearer", "mF_9.B5f-4.1JqM", "signature_missing"],
  ["bearer", "Bearer mF_9.B5f-4.1Jq", "signature_wrong"],
  ["bearer", "Bearer MF_9.B5F-4.1JQM", "signature_wrong"],
] as const)("Of %s, Authorization: %s gives %p", (kind, authorization, fault) => {
  expect(findFault({ ...(valid[kind] as Sample), headers: { authorization } })).toBe(fault);
});

test("A long header is no signature, and costs no time", () => {
  for (const [, sample] of each) {
    const name = signatureHeader(sample);
    const headers = { ...sample.headers, [name]: "v1=,v1,t= ".repeat(100_000) };
    expect(findFault({ ...sample, headers })).not.toBeNull();
  }
});

test("The fields that Twilio signs are not read in another charset than they were signed in", () => {
  const sample = valid.twilio as Sample;
  const send = (charset: string) =>
    findFault({
      ...sample,
      headers: { ...sample.headers, "content-type": `${form["content-type"]}; charset=${charset}` },
    });
  expect(send("UTF-8")).toBeNull();
  for (const charset of ["utf-16le", "shift_jis", "unknown"]) {
    expect(send(charset)).toBe("signature_wrong");
  }
});

test("A run keeps neither the older signature of GitHub nor the other name of Standard Webhooks", () => {
  expect(listSignatureHeaders({ signature: "github" })).toEqual([
    "x-hub-signature-256",
    "x-hub-signature",
  ]);
  expect(listSignatureHeaders({ signature: "standard" })).toEqual([
    "webhook-signature",
    "svix-signature",
  ]);
});
