import type { Page } from "playwright-core";
import { waitFor } from "../../support/wait-for.ts";
import { findItem, findScope, type Hands } from "./drawing-hands.ts";

const tabsMax = 120;

/** Draws by the keyboard alone. */
export function createKeys(page: Page): Hands {
  const used = { clicks: 0, drags: 0, keys: 0, typed: 0 };
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
    used.keys += keys.length;
  };
  const type = async (text: string) => {
    await page.keyboard.type(text);
    used.typed += text.length;
  };
  const isFocused = (name: string) =>
    page.evaluate<boolean>(`(${hasName})(${JSON.stringify(name)})`);
  const tabTo = async (name: string) => {
    // The inputs of an operation come a moment after its item.
    const way = await waitFor(() =>
      page.evaluate<string | null>(`(${findWay})(${JSON.stringify(name)})`),
    );
    for (let at = 0; at < tabsMax; at += 1) {
      if (await isFocused(name)) return;
      await press(way);
    }
    throw new Error(`${way} does not reach ${name}.`);
  };
  const untilFocused = (id: string) => page.locator(`[data-item="${id}"]:focus`).waitFor();
  /** Goes from the inspector to the graph. */
  const exitInspector = async () => {
    // A dialog gives the focus back when it is gone.
    const isBack = `document.activeElement?.closest("[data-inspector], [data-item]") != null`;
    await waitFor(() => page.evaluate<boolean>(isBack));
    if ((await readFocused()) !== null) return;
    await press("Escape");
    await page.locator("[data-item]:focus").waitFor();
  };
  const readFocused = () =>
    page.evaluate<string | null>(`document.activeElement?.getAttribute("data-item") ?? null`);
  const select = async (id: string) => {
    await exitInspector();
    // Up and down go to what is beside, and left and right along the connections.
    for (let at = 0; at < 20 && (await readFocused()) !== id; at += 1) {
      const key = await findArrow(page, id);
      const before = await readFocused();
      await press(key);
      await page.locator(`[data-item]:focus:not([data-item="${before}"])`).waitFor();
    }
    await untilFocused(id);
  };
  /** Takes the first that the palette finds. */
  const pick = async (search: string, id: string) => {
    await page.locator("section input:focus").waitFor();
    await type(search);
    await page.locator("section [data-searching]").waitFor({ state: "detached" });
    await page.locator("section button[draggable]").first().waitFor();
    await press("Enter");
    await untilFocused(id);
  };
  /** The fields of the selected item take the focus. */
  const enter = async () => {
    const isInside = `document.activeElement?.closest("[data-inspector], [role=dialog]") != null`;
    if (await page.evaluate<boolean>(isInside)) return;
    if ((await readFocused()) === null) return;
    await press("Enter");
    await page.locator("[data-inspector] :focus").waitFor();
  };
  /** Goes to a field or button of the inspector or of the dialog, forwards. */
  const reach = async (name: string) => {
    await enter();
    await tabTo(name);
  };
  const connect: Hands["connect"] = async (output, id) => {
    await select(output.id);
    await reach(`Connect ${output.case ?? "Next"} to`);
    const [title = ""] = (await findItem(page, id).getAttribute("title"))?.split("\n") ?? [];
    await type(title);
    await page.getByRole("button", { name: `Disconnect ${title}`, exact: true }).waitFor();
  };
  return {
    used,
    async press(name) {
      const scope = await findScope(page);
      await scope.getByRole("button", { name, exact: true }).first().waitFor();
      await reach(name);
      await press("Enter");
    },
    async fill(label, text) {
      await reach(label);
      await type(text);
    },
    async choose(label, option) {
      await reach(label);
      await type(option);
    },
    async addTrigger(search, id) {
      await page.getByRole("button", { name: "Add a trigger" }).waitFor();
      await tabTo("Add a trigger");
      await press("Enter");
      await pick(search, id);
    },
    async addAfter(output, search, id) {
      const { title, case: name } = output;
      const plus = `Add after ${title}${name === undefined ? "" : `, ${name}`}`;
      const isFree = (await page.getByRole("button", { name: plus, exact: true }).count()) > 0;
      await select(output.id);
      // Without a selection, what is added is connected to nothing.
      if (!isFree) await press("Escape");
      await press("n");
      await pick(search, id);
      if (isFree) return;
      await connect(output, id);
      await select(id);
    },
    connect,
    select,
    async insert(label, path) {
      await reach(`Values for ${label}`);
      await press("Enter");
      await page.locator("[data-values] [role=tree]:focus").waitFor();
      const active = page.locator("[data-values] [data-active]");
      await press("Home");
      for (const [at, name] of path.entries()) {
        const line = page
          .locator(`[data-values] [data-name="${name}"][aria-level="${at + 1}"]`)
          .first();
        await line.waitFor();
        const isHere = line.and(page.locator("[data-active]"));
        for (let tries = 0; tries < 60 && (await isHere.count()) === 0; tries += 1)
          await press("ArrowDown");
        if (at === path.length - 1) break;
        await line.and(page.locator("[aria-expanded]")).waitFor();
        if ((await active.getAttribute("aria-expanded")) === "false") await press("ArrowRight");
      }
      await press("Enter");
      await page.locator("[data-values]").waitFor({ state: "detached" });
    },
  };
}

/** The names of an element, as the page shows them. */
const readNames = `(one) => [one?.getAttribute("aria-label"), one?.textContent,
  ...[...(one?.labels ?? [])].map((label) => label.textContent)].map((text) => text?.replace(/\\s*\\*$/, "").trim())`;

const hasName = `(name) => (${readNames})(document.activeElement).includes(name)`;

/** The key that leads to what has a name, or null if nothing has it. */
const findWay = `(name) => {
  const { activeElement: active } = document;
  const places = [active?.closest("[role=dialog]"), active?.closest("[data-inspector]"), document];
  const found = places.flatMap((place) => [...(place?.querySelectorAll("button, input, textarea, select, a") ?? [])])
    .find((one) => (${readNames})(one).includes(name));
  if (found === undefined) return null;
  return active !== document.body && found.compareDocumentPosition(active) & Node.DOCUMENT_POSITION_FOLLOWING
    ? "Shift+Tab" : "Tab";
}`;

/** The arrow key that leads nearer to an item. */
async function findArrow(page: Page, id: string): Promise<string> {
  const from = await page.locator("[data-item]:focus").boundingBox();
  const to = await findItem(page, id).boundingBox();
  if (from === null || to === null) throw new Error(`There is no way to ${id}.`);
  if (Math.abs(to.y - from.y) > 8) return to.y > from.y ? "ArrowDown" : "ArrowUp";
  return to.x > from.x ? "ArrowRight" : "ArrowLeft";
}
