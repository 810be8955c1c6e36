import { InvalidInputError, wick } from "@hub/connector";
import type { InlineKeyboardMarkup } from "grammy/types";
import { z } from "zod";

const button = z.union([
  z.strictObject({ text: z.string().trim().min(1), command: z.string().trim().min(1) }),
  z.strictObject({ text: z.string().trim().min(1), url: z.url({ protocol: /^(https?|tg)$/ }) }),
]);
const rows = z.union([z.array(button), z.array(z.array(button))]);

/** "Data to be sent in a callback query, 1-64 bytes." */
const dataBytesMax = 64;
const buttonsMax = 100;

export const buttonsField = wick.json(
  'desc=Buttons below the message: a list of {"text", "command"} or {"text", "url"}, or a list of rows of them. Pressing one with a command, such as /approve 42, is the event command.',
);

/** The keyboard of a message; undefined if no buttons are given. */
export function toKeyboard(given: unknown): InlineKeyboardMarkup | undefined {
  if (given === undefined || given === null) return undefined;
  const parsed = rows.safeParse(given);
  if (!parsed.success) {
    throw new InvalidInputError(
      "buttons",
      'must be a list of {"text", "command"} or {"text", "url"}, or a list of such lists',
    );
  }
  const [first] = parsed.data;
  // Safe: the union allows lists of one kind only.
  const lines = (Array.isArray(first) ? parsed.data : [parsed.data]) as z.output<typeof button>[][];
  if (lines.flat().length > buttonsMax) {
    throw new InvalidInputError("buttons", `must be at most ${buttonsMax}`);
  }
  return { inline_keyboard: lines.map((line) => line.map(toButton)) };
}

function toButton(given: z.output<typeof button>) {
  if ("url" in given) return { text: given.text, url: given.url };
  const data = given.command.startsWith("/") ? given.command : `/${given.command}`;
  if (Buffer.byteLength(data) > dataBytesMax) {
    throw new InvalidInputError(
      "buttons",
      `must have commands of at most ${dataBytesMax} bytes: shorten "${given.command}"`,
    );
  }
  return { text: given.text, callback_data: data };
}
