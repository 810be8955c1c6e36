import { toJsonText } from "@hub/connector";
import type { z } from "zod";
import type { ApiRequest } from "./api-request.ts";
import { answerJson, checkAnswer } from "./endpoint.ts";
import { sendPages } from "./send-pages.ts";

type ListAnswer<Answer extends z.ZodObject, Member extends string> = {
  /** Of the whole answer. */
  schema: Answer;
  /** The member of the answer that has the list. */
  member: Member & keyof z.output<Answer>;
  /** The other members. */
  head: Omit<z.input<Answer>, Member>;
  /** The items. None of the pages is empty. */
  pages: AsyncGenerator<unknown[]>;
};

/**
 * A JSON object with a list of any length. Of more than one page, each is read, checked and written when the
 * client has read the page before.
 */
export async function sendList<Answer extends z.ZodObject, Member extends string>(
  req: ApiRequest,
  { schema, member, head, pages }: ListAnswer<Answer, Member>,
): Promise<Response> {
  const check = (items: unknown[]): Record<string, unknown> =>
    checkAnswer(schema, { ...head, [member]: items });
  const first = await pages.next();
  const second = first.done ? first : await pages.next();
  if (first.done || second.done) return answerJson(check(first.done ? [] : first.value), 200);
  return await sendPages(req, "application/json", toTexts(first.value, second.value));

  async function* toTexts(items: unknown[], more: unknown[]): AsyncGenerator<string> {
    const { [member]: list, ...rest } = check(items);
    const start = toJsonText({ ...rest, [member]: [] }).slice(0, -"]}".length);
    yield `${start}${toItems(list)}`;
    yield `,${toItems(check(more)[member])}`;
    for await (const page of pages) yield `,${toItems(check(page)[member])}`;
    yield "]}";
  }
}

function toItems(list: unknown): string {
  return toJsonText(list).slice(1, -1);
}
