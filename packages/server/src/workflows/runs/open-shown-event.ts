import { type Json, parseJson } from "@hub/connector";
import { openWebhookPayload } from "../webhooks/body/webhook-payload.ts";

/** A larger body of a webhook is not opened for display. */
const openedBytesMax = 256 * 1024;

/** The event of a run as its templates read it. The body of a webhook is opened if it is small. */
export function openShownEvent(stored: { event: string; raw: Uint8Array | null }): Json {
  const event = parseJson(stored.event);
  const { raw } = stored;
  if (raw === null || raw.byteLength > openedBytesMax) return event;
  if (typeof event !== "object" || event === null) return event;
  // Safe: the run was prepared with a payload that is an object.
  const { Payload } = event as { Payload: Record<string, Json> };
  try {
    const opened: Record<string, Json> = Object(openWebhookPayload(Payload, raw));
    // The spread reads the body once, here, where it can fail. It leaves out what is not listed.
    const shown = { ...opened };
    if (!("raw_base64" in shown)) {
      Object.defineProperty(shown, "raw_base64", { value: opened.raw_base64 });
    }
    return { ...event, Payload: shown };
  } catch {
    // A secret was replaced in the body, which is no JSON any more.
    return event;
  }
}
