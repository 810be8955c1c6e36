import { isJsonObject, type Json, toJsonText } from "@hub/connector";

type WriteListsDeps = {
  yieldToEventLoop(): Promise<void>;
  /** Changes each portion before it is written. It must not depend on the other portions. */
  seal(part: Json): Json;
};

/** About 250 KB of a list of tools, 1 ms of work. */
const itemsPerPortion = 1_000;

/** Whether a value has a list that is written in several portions. */
export function hasLongList(value: Json): value is Record<string, Json> {
  return (
    isJsonObject(value) &&
    Object.values(value).some((member) => Array.isArray(member) && member.length > itemsPerPortion)
  );
}

/** Writes an object with long lists as JSON.stringify would, in portions. */
export async function writeLists(
  deps: WriteListsDeps,
  value: Readonly<Record<string, Json | undefined>>,
): Promise<string> {
  const members: string[] = [];
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const text = Array.isArray(member)
      ? await writeList(deps, member)
      : toJsonText(deps.seal(member));
    members.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${members.join(",")}}`;
}

async function writeList(
  { yieldToEventLoop, seal }: WriteListsDeps,
  items: readonly Json[],
): Promise<string> {
  const portions: string[] = [];
  for (let start = 0; start < items.length; start += itemsPerPortion) {
    if (start > 0) await yieldToEventLoop();
    const text = toJsonText(seal(items.slice(start, start + itemsPerPortion)));
    portions.push(text.slice(1, -1));
  }
  return `[${portions.join(",")}]`;
}

/** A long text is quoted in portions of so many characters, each about 1 ms. */
const charsPerPortion = 256 * 1024;

/** Writes a text as JSON.stringify would, in portions. A promise only for a text of several portions. */
export function quoteText(
  deps: Pick<WriteListsDeps, "yieldToEventLoop">,
  text: string,
): string | Promise<string> {
  return text.length <= charsPerPortion ? JSON.stringify(text) : quoteLongText(deps, text);
}

async function quoteLongText(
  { yieldToEventLoop }: Pick<WriteListsDeps, "yieldToEventLoop">,
  text: string,
): Promise<string> {
  const portions: string[] = [];
  for (let start = 0; start < text.length; ) {
    if (start > 0) await yieldToEventLoop();
    const end = findEnd(text, start + charsPerPortion);
    portions.push(JSON.stringify(text.slice(start, end)).slice(1, -1));
    start = end;
  }
  return `"${portions.join("")}"`;
}

/** Not between the halves of a character. */
function findEnd(text: string, end: number): number {
  const last = text.charCodeAt(end - 1);
  return end < text.length && last >= 0xd800 && last <= 0xdbff ? end + 1 : end;
}
