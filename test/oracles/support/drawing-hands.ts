import type { Page } from "playwright-core";

/** How a person draws on the canvas. Texts are typed; all else is done by one kind of input alone. */
export type Hands = {
  /** Uses a button, wherever it is on the page. */
  use(name: string): Promise<void>;
  /** Replaces the text of a field. */
  type(label: string, text: string): Promise<void>;
  /** Chooses an option of a list by what it is called. */
  choose(label: string, option: string): Promise<void>;
  /** Chooses one of several people or tags. */
  pick(label: string, option: string): Promise<void>;
  /** Chooses the other one of two radio buttons. */
  mark(from: string, to: string): Promise<void>;
  /** Puts a value of the tree into a field: the names that lead to it. */
  map(label: string, path: readonly string[]): Promise<void>;
  /** Adds what the palette finds first, after an output of an item. Null for the first trigger. */
  add(after: { id: string; case?: string } | null, search: string, made: string): Promise<void>;
  /** Adds a second item after an output that leads somewhere. */
  addBeside(
    after: { id: string; case: string; title: string },
    search: string,
    made: { id: string; title: string },
  ): Promise<void>;
  connect(from: { id: string; title: string }, to: { id: string; title: string }): Promise<void>;
  /** Selects an item, whose fields are then shown. */
  go(item: { id: string; title: string }): Promise<void>;
  /** How many clicks, drags and keys there were, without those that type texts. */
  readonly counts: Record<string, number>;
};

const item = (page: Page, id: string) => page.locator(`[data-item="${id}"]`);
const palette = (page: Page) => page.getByRole("region", { name: "Add", exact: true });
const inspector = (page: Page) => page.locator("[data-inspector]");
const selectedItem = (page: Page, id: string) => page.locator(`[data-item="${id}"][data-selected]`);
/** A dialog is before what is behind it. */
const front = (page: Page) => page.locator('body:not(:has([role=dialog])), [role="dialog"]').last();

/** The numbers of the lines of the tree that lead to a value. The lines below a closed one are not there yet. */
async function findLine(page: Page, names: readonly string[]): Promise<number> {
  await page.locator("[data-values] [role=treeitem]").first().waitFor();
  const lines = await page
    .locator("[data-values] [role=treeitem]")
    .evaluateAll((elements) => elements.map((element) => element.getAttribute("data-name")));
  const found = names.reduce((at, name) => lines.indexOf(name, at + 1), -1);
  if (found === -1) throw new Error(`${names.join(" ")} is not among ${lines.join(", ")}.`);
  return found;
}

const isOpen = async (page: Page, at: number) =>
  (await page.locator("[data-values] [role=treeitem]").nth(at).getAttribute("aria-expanded")) ===
  "true";

/** Draws by the pointer. */
export function createMouse(page: Page): Hands {
  const counts = { clicks: 0, drags: 0 };
  const click = async (target: ReturnType<Page["locator"]>) => {
    counts.clicks += 1;
    await target.click();
  };
  const byName = (name: string) => front(page).getByRole("button", { name, exact: true }).first();
  /** Labels of fields that must be filled in end with an asterisk. */
  const field = (label: string) =>
    front(page)
      .getByLabel(label, { exact: true })
      .or(front(page).getByLabel(`${label} *`, { exact: true }))
      .first();
  const end = (id: string, side: "source" | "target", name?: string) =>
    page.locator(
      `.react-flow__node[data-id="${id}"] .react-flow__handle.${side}${name === undefined ? "" : `[data-handleid="case:${name}"]`}`,
    );
  const centre = async (target: ReturnType<Page["locator"]>) => {
    const box = await target.boundingBox();
    if (box === null) throw new Error("What is dragged is not visible.");
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  };
  const drag = async (from: { x: number; y: number }, to: { x: number; y: number }) => {
    counts.drags += 1;
    await page.mouse.move(from.x, from.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 6 });
    await page.mouse.up();
  };
  const take = async (search: string, made: string) => {
    await palette(page).getByRole("textbox").fill(search);
    await click(palette(page).locator("button[draggable]").first());
    await selectedItem(page, made).waitFor();
  };
  return {
    counts,
    use: (name) => click(byName(name)),
    async type(label, text) {
      await click(field(label));
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(text);
    },
    async choose(label, option) {
      // The open list is the system's.
      counts.clicks += 2;
      await field(label).selectOption({ label: option });
    },
    async pick(label, option) {
      await click(page.getByRole("combobox", { name: label, exact: true }));
      await click(page.getByRole("option", { name: option }));
      await page.mouse.move(2, 2);
    },
    mark: (_, to) => click(front(page).getByLabel(to, { exact: true })),
    async map(label, path) {
      const tool = inspector(page).getByRole("button", {
        name: `Values for ${label}`,
        exact: true,
      });
      await click(tool);
      for (let level = 1; level <= path.length; level += 1) {
        const at = await findLine(page, path.slice(0, level));
        if (level === path.length || !(await isOpen(page, at)))
          await click(page.locator("[data-values] [role=treeitem]").nth(at));
      }
      await page.getByRole("dialog", { name: "Values" }).waitFor({ state: "detached" });
    },
    async add(after, search, made) {
      const add =
        after === null
          ? byName("Add a trigger")
          : page
              .locator(
                after.case === undefined
                  ? `.react-flow__node[data-id="${after.id}"]`
                  : `.react-flow__node[data-id="${after.id}"] [data-handleid="case:${after.case}"]`,
              )
              .getByRole("button", { name: /^Add after/ });
      await click(add);
      await take(search, made);
    },
    async addBeside(after, search, made) {
      await click(page.getByRole("button", { name: "Close the inspector" }));
      const from = await centre(end(after.id, "source", after.case));
      await drag(from, { x: from.x + 60, y: from.y + 130 });
      await take(search, made.id);
    },
    async connect(from, to) {
      await click(page.getByRole("button", { name: "Close the inspector" }));
      const ends = await Promise.all([
        centre(end(from.id, "source")),
        centre(end(to.id, "target")),
      ] as const);
      await drag(...ends);
    },
    async go({ id }) {
      await click(item(page, id));
      await inspector(page).waitFor();
      // The inspector of a graph with a run has a tab for it, a moment later.
      if ((await page.locator("[data-item][data-state]").count()) > 0)
        await inspector(page).getByRole("tab", { name: "In this run" }).waitFor();
      const fields = inspector(page).getByRole("tab", { name: "Fields", selected: false });
      if ((await fields.count()) > 0) await click(fields);
    },
  };
}
