type Page<Item> = { items: Item[]; next: string | null };

/** Reads a list page by page, so that no query is larger than one page. */
export async function readAllPages<Item>(
  readPage: (page: { after?: string }) => Promise<Page<Item>>,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await readPage(after === undefined ? {} : { after });
    items.push(...page.items);
    after = page.next;
  }
  return items;
}
