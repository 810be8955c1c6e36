import type { Locator, Page } from "playwright-core";

/** An output of an item on the graph, by its title, with the case if it has several. */
export type Output = { id: string; title: string; case?: string };

/** What draws a workflow, by one kind of input. Each waits until the page shows what it did. */
export type Hands = {
  /** How often something was clicked, dragged or chosen, how many keys were pressed, and how many characters typed. */
  readonly used: { clicks: number; drags: number; keys: number; typed: number };
  /** Presses a button of the page, or of the dialog that is open. */
  press(name: string): Promise<void>;
  /** Types into a field. */
  fill(label: string, text: string): Promise<void>;
  /** Chooses an option of a field. */
  choose(label: string, option: string): Promise<void>;
  /** Adds the first trigger. */
  addTrigger(search: string, id: string): Promise<void>;
  /** Adds what is found first after an output. One that leads somewhere already gets one more beside it. */
  addAfter(output: Output, search: string, id: string): Promise<void>;
  /** Leads from an output to a node that is there. */
  connect(output: Output, id: string): Promise<void>;
  select(id: string): Promise<void>;
  /** Maps a value of the last run to a field, by its place in the tree, such as `["Event", "Payload", "body"]`. */
  insert(label: string, path: readonly string[]): Promise<void>;
};

export const findItem = (page: Page, id: string): Locator => page.locator(`[data-item="${id}"]`);

/** The dialog that is open, or else the page. */
export async function findScope(page: Page): Promise<Locator> {
  const dialog = page.getByRole("dialog");
  return (await dialog.count()) > 0 ? dialog.last() : page.locator("body");
}

/** A field by its label, which ends in a star if the field is required. */
export function findField(scope: Locator, label: string): Locator {
  const named = scope.getByLabel(label, { exact: true });
  const required = scope.getByLabel(`${label} *`, { exact: true });
  return named.or(required).and(scope.page().locator("input, textarea, select"));
}
