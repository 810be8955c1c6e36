import { HubError } from "../../errors.ts";

const deliveryCharsMax = 200;
const deliveryHeaders = ["x-hub-delivery", "x-github-delivery"];

/** The sender's id of a delivery, or null. A second delivery with the same id starts no run. */
export function readDelivery(headers: Pick<Headers, "get">): string | null {
  const id = deliveryHeaders.map((name) => headers.get(name)?.trim()).find(Boolean);
  if (id === undefined) return null;
  if (id.length <= deliveryCharsMax) return id;
  throw new HubError(
    "bad_request",
    `The id of the delivery has more than ${deliveryCharsMax} characters. Send a shorter one.`,
  );
}
