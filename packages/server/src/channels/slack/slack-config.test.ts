import { describe, expect, test } from "bun:test";
import { isOfSlack, readSlackConfig } from "./slack-config.ts";

describe("Addresses that Slack gives", () => {
  const cases: [address: string, baseUrl: string, isAccepted: boolean][] = [
    ["https://hooks.slack.com/actions/1", "https://slack.com/api/", true],
    ["https://wss-primary.slack.com/link/?ticket=1", "https://slack.com/api/", true],
    ["https://slack.com/x", "https://slack.com/api/", true],
    ["https://hooks.slack-gov.com/actions/1", "https://slack-gov.com/api/", true],
    ["http://127.0.0.1:4000/actions/1", "http://127.0.0.1:4000/api/", true],
    ["http://hooks.slack.com/actions/1", "https://slack.com/api/", false],
    ["https://hooks.slack.com:8443/actions/1", "https://slack.com/api/", false],
    ["https://evilslack.com/", "https://slack.com/api/", false],
    ["https://slack.com.evil.example/", "https://slack.com/api/", false],
    ["https://user:pass@hooks.slack.com/", "https://slack.com/api/", false],
    ["http://127.0.0.1:4001/actions/1", "http://127.0.0.1:4000/api/", false],
    ["http://x.127.0.0.1:4000/", "http://127.0.0.1:4000/api/", false],
    ["file:///etc/passwd", "https://slack.com/api/", false],
    ["", "https://slack.com/api/", false],
  ];
  for (const [address, baseUrl, isAccepted] of cases) {
    test(`"${address}" is ${isAccepted ? "accepted" : "refused"} with ${baseUrl}`, () => {
      expect(isOfSlack(address, { baseUrl })).toBe(isAccepted);
    });
  }
});

test("A row without values has the defaults", () => {
  expect(readSlackConfig({ BotToken: " xoxb-1\n" })).toEqual({
    mode: "socket",
    botToken: "xoxb-1",
    appToken: "",
    signingSecret: "",
    includeEdits: false,
    baseUrl: "https://slack.com/api/",
  });
  expect(readSlackConfig({ BaseURL: "http://a.test/api" }).baseUrl).toBe("http://a.test/api/");
});
