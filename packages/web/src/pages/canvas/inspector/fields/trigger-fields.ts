import type { TriggerType } from "../../graph/item-types.ts";
import { type ItemField, type Option, severities } from "../inputs/node-field-spec.ts";

const methods: readonly Option[] = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => [
  one,
  one,
]);

/** The fields of each type of trigger. */
export const triggerFields: Readonly<Record<TriggerType, readonly ItemField[]>> = {
  cron: [
    {
      key: "schedule",
      label: "Schedule",
      kind: "schedule",
      isRequired: true,
      about: "Second, minute, hour, day of the month, month, day of the week: 0 30 9 * * 1-5.",
    },
    {
      key: "timezone",
      label: "Time zone",
      kind: "text",
      about: "Such as Europe/Berlin. The default is the hub's.",
    },
    {
      key: "catch_up",
      label: "Missed times",
      kind: "choice",
      default: "none",
      about: "Those at which no server ran.",
      options: [
        ["none", "Skip them"],
        ["last", "Run the latest one"],
      ],
    },
  ],
  webhook: [
    {
      key: "path",
      label: "Path",
      kind: "text",
      about: "The end of the address, without a slash at its start. Empty accepts every path.",
    },
    { key: "method", label: "Methods", kind: "choices", default: "POST", options: methods },
    {
      key: "respond_mode",
      label: "Respond",
      kind: "choice",
      default: "immediately",
      about: "Immediately is 202 while the run goes on. The others wait 30 seconds at most.",
      options: [
        ["immediately", "Immediately"],
        ["last_node", "With the output of the last node"],
        ["respond_node", "With a respond node"],
      ],
    },
    {
      key: "secret_ref",
      label: "Signing secret",
      kind: "secret",
      about: "Such as HOOK_SECRET. Requests must then be signed with its value.",
    },
    {
      key: "signature",
      label: "Signed by",
      kind: "choice",
      default: "hub",
      about:
        "The service that sends, or how the sender uses the secret. Has no effect without a signing secret.",
      options: [
        ["hub", "X-Hub-Sig, HMAC-SHA256 of the body"],
        ["github", "GitHub"],
        ["gitlab", "GitLab, secret token"],
        ["shopify", "Shopify"],
        ["stripe", "Stripe"],
        ["slack", "Slack"],
        ["standard", "Standard Webhooks, Svix"],
        ["twilio", "Twilio, auth token"],
        ["basic", "Basic, the secret is user:password"],
        ["bearer", "Bearer token"],
        ["header", "A header with the secret, named under More"],
      ],
    },
    {
      key: "signature_header",
      label: "Signature header",
      kind: "text",
      isMore: true,
      about:
        "Only if signed by X-Hub-Sig or by a header with the secret: the name of that header. Empty is X-Hub-Sig.",
    },
    {
      key: "replay_window_s",
      label: "Replay window in seconds",
      kind: "number",
      isMore: true,
      about:
        "From 1 to 86400. Requests must then have a signed timestamp that is not older. Empty is 300 for Stripe, Slack and Standard Webhooks, and no check for others.",
    },
    {
      key: "delivery_id",
      label: "Delivery id",
      kind: "text",
      isTemplate: true,
      isMore: true,
      about:
        "What differs in each delivery, such as {{.Event.Payload.body.id}}. A second delivery with the same id within 24 hours starts no run. Empty uses the ids of known senders.",
    },
    {
      key: "allow_origins",
      label: "Allowed origins",
      kind: "json",
      isMore: true,
      about:
        'Whose pages may send requests from browsers: a list such as ["https://shop.example"], or "*" with its quotes for all. Empty is none.',
    },
  ],
  channel: [
    { key: "channel", label: "Channel", kind: "channel", isRequired: true },
    { key: "event", label: "Event", kind: "event", isRequired: true },
    { key: "match", label: "Filters", kind: "match" },
  ],
  manual: [
    {
      key: "input",
      label: "Inputs",
      kind: "inputs",
      about: "The fields of the Run form. Without them, the payload is any JSON object.",
    },
    {
      key: "as_tool",
      label: "Offer it as a tool",
      kind: "toggle",
      about:
        "Once published, clients of users who share a tag find the workflow as a tool of its own.",
    },
  ],
  schedule_at: [],
  error: [
    {
      key: "source_workflow",
      label: "Workflow",
      kind: "workflow",
      isRequired: true,
      about: "Whose failed runs start this one.",
    },
    {
      key: "severity",
      label: "Severities",
      kind: "choices",
      options: severities,
      about: "None chosen means all.",
    },
  ],
};
