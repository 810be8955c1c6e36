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
  const field = (label: string) => front(page).getByLabel(label, { exact: true }).first();
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
      const fields = inspector(page).getByRole("tab", { name: "Fields", selected: false });
      if ((await fields.count()) > 0) await click(fields);
    },
  };
}

/** Draws by keys. */
export function createKeys(page: Page): Hands {
  const counts = { keys: 0 };
  const press = async (...keys: string[]) => {
    for (const key of keys) {
      counts.keys += 1;
      await page.keyboard.press(key);
    }
  };
  const readFocus = () =>
    page.evaluate<{ item: string | null; names: string[]; isInInspector: boolean }>(`(() => {
      const { activeElement: one } = document;
      const names = [one?.getAttribute("aria-label"), one?.textContent,
        ...[...(one?.labels ?? [])].map((label) => label.textContent)];
      return {
        item: one?.getAttribute("data-item") ?? null,
        names: names.flatMap((name) => name?.replace(" *", "").trim() || []),
        isInInspector: one?.closest("[data-inspector]") != null,
      };
    })()`);
  type Focus = Awaited<ReturnType<typeof readFocus>>;
  const stepsMax = 250;
  /** Goes on with Tab. On an item, Tab adds another one, and Enter leads to its fields. */
  const tabUntil = async (what: string, holds: (focus: Focus) => boolean, key = "Tab") => {
    for (let steps = 0; steps < stepsMax; steps += 1) {
      const focus = await readFocus();
      if (holds(focus)) return;
      await press(focus.item !== null && key === "Tab" ? "Enter" : key);
    }
    throw new Error(`${key} does not reach ${what}.`);
  };
  const tabTo = (name: string, key?: string) =>
    tabUntil(name, ({ names }) => names.includes(name), key);
  const take = async (search: string, made: string) => {
    await palette(page).locator("input:focus").waitFor();
    await page.keyboard.type(search);
    await palette(page).locator("button[draggable]").first().waitFor();
    await press("Enter");
    await page.locator(`[data-item="${made}"]:focus`).waitFor();
  };
  const choose = async (label: string, option: string) => {
    await tabTo(label);
    await page.keyboard.type(option);
  };
  const go: Hands["go"] = async ({ id, title }) => {
    const { item: now } = await readFocus();
    if (now !== id) {
      if (now !== null) await press("Shift+Tab");
      const outline = page.getByRole("button", { name: "Outline", exact: true });
      await tabTo("Outline", "Shift+Tab");
      if ((await outline.getAttribute("aria-expanded")) !== "true") await press("Enter");
      await page.getByRole("region", { name: "Outline" }).locator("button").first().waitFor();
      await tabUntil(title, ({ names: [first = ""] }) => first.startsWith(title));
      await press("Enter");
      await page.locator(`[data-item="${id}"]:focus`).waitFor();
    }
    const run = inspector(page).getByRole("tab", { name: "In this run", selected: true });
    await inspector(page).locator("h2").waitFor();
    if ((await run.count()) === 0) return;
    await tabTo("In this run");
    await press("ArrowLeft");
    await press("Escape");
    await page.locator(`[data-item="${id}"]:focus`).waitFor();
  };
  return {
    counts,
    go,
    choose,
    async use(name) {
      const isInInspector = (await inspector(page).getByText(name, { exact: true }).count()) > 0;
      const isDialog = (await page.getByRole("dialog").count()) > 0;
      await tabTo(name, isInInspector || isDialog ? "Tab" : "Shift+Tab");
      await press("Enter");
    },
    async type(label, text) {
      await tabTo(label);
      await press("Control+a");
      await page.keyboard.insertText(text);
    },
    async pick(label, option) {
      await choose(label, option);
      await press("Enter");
    },
    async mark(from) {
      await tabTo(from);
      await press("ArrowRight");
    },
    async map(label, path) {
      await tabTo(`Values for ${label}`);
      await press("Enter");
      await tabUntil("the values", () => true);
      const tree = page.locator("[data-values] [role=tree]");
      await tree.waitFor();
      while ((await tree.and(page.locator(":focus")).count()) === 0) await press("Tab");
      await press("Home");
      let from = 0;
      for (let level = 1; level <= path.length; level += 1) {
        const at = await findLine(page, path.slice(0, level));
        for (; from < at; from += 1) await press("ArrowDown");
        if (level === path.length) await press("Enter");
        else if (!(await isOpen(page, at))) await press("ArrowRight");
      }
      await page.getByRole("dialog", { name: "Values" }).waitFor({ state: "detached" });
    },
    async add(after, search, made) {
      if (after === null) {
        await tabTo("Add a trigger");
        await press("Enter");
      } else {
        const { item: now, isInInspector } = await readFocus();
        if (now === null && isInInspector) await press("Escape");
        await page.locator(`[data-item="${after.id}"]:focus`).waitFor();
        await press("n");
      }
      await take(search, made);
    },
    async addBeside(after, search, made) {
      const { isInInspector } = await readFocus();
      if (isInInspector) await press("Escape");
      // Nothing is selected, so that it is connected to nothing.
      await press("Escape", "n");
      await take(search, made.id);
      await go(after);
      await choose(`Connect ${after.case} to`, made.title);
      await press("Escape");
      await go(made);
    },
    async connect(from, to) {
      await go(from);
      await choose("Connect Next to", to.title);
      await press("Escape");
    },
  };
}
