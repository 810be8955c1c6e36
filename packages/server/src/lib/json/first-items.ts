import { z } from "zod";
import { issueWords } from "../input/issue-words.ts";

/**
 * A list in a message from outside, of which the hub reads the first items. The others are left out. The check ends at
 * the first item that is invalid: an array schema describes the faults of all items, which takes seconds for
 * 100,000 of them.
 */
export function firstItems<Item>(item: z.ZodType<Item>, itemsMax: number) {
  return z.array(z.unknown()).transform((list, ctx): Item[] => {
    const items: Item[] = [];
    for (const [at, value] of list.slice(0, itemsMax).entries()) {
      const read = item.safeParse(value, { error: issueWords });
      if (read.success) {
        items.push(read.data);
        continue;
      }
      const [issue] = read.error.issues;
      ctx.addIssue({
        code: "custom",
        message: issue?.message ?? "is invalid.",
        path: [at, ...(issue?.path ?? [])],
      });
      return z.NEVER;
    }
    return items;
  });
}
