import type { Locator, Page } from "playwright-core";
import { findField, findItem, findScope, type Hands, type Output } from "./drawing-hands.ts";

/** Draws by the mouse. Keys only type texts. */
export function createMouse(page: Page): Hands {
  const used = { clicks: 0, drags: 0, keys: 0, typed: 0 };
  const palette = page.getByRole("region", { name: "Add", exact: true });
  const inspector = page.locator("[data-inspector]");
  const click = async (target: Locator) => {
    await target.click();
    used.clicks += 1;
  };
  const type = async (text: string) => {
    await page.keyboard.insertText(text);
    used.typed += text.length;
  };
  const pick = async (search: string, id: string) => {
    await palette.getByRole("textbox").waitFor();
    await type(search);
    await click(palette.locator("button[draggable]").first());
    await findItem(page, id).and(page.locator("[data-selected]")).waitFor();
  };
  const toOutput = ({ title, case: name }: Output) =>
    page.getByRole("button", {
      name: `Add after ${title}${name === undefined ? "" : `, ${name}`}`,
      exact: true,
    });
  const findHandle = ({ id, case: name }: Output) => {
    const handle = name === undefined ? "out" : `case:${name}`;
    return findNode(page, id).locator(`.react-flow__handle.source[data-handleid="${handle}"]`);
  };
  const drag = async (from: Locator, to: { x: number; y: number }) => {
    const start = await toCentre(from);
    await page.mouse.move(start.x, start.y);
    await page.mouse.down();
    await page.mouse.move(to.x, to.y, { steps: 8 });
    await page.mouse.up();
    used.drags += 1;
  };
  return {
    used,
    async press(name) {
      const scope = await findScope(page);
      await click(scope.getByRole("button", { name, exact: true }).first());
    },
    async fill(label, text) {
      const scope = await findScope(page);
      await click(findField(scope, label));
      await type(text);
    },
    async choose(label, option) {
      // The list of a select is drawn by the system, which a test cannot click: one click opens it, one chooses.
      await findField(inspector, label).selectOption({ label: option });
      used.clicks += 2;
    },
    async addTrigger(search, id) {
      await click(page.getByRole("button", { name: "Add a trigger" }));
      await pick(search, id);
    },
    async addAfter(output, search, id) {
      const plus = toOutput(output);
      if ((await plus.count()) > 0) await click(plus);
      else await drag(findHandle(output), await findGround(page, output.id));
      await pick(search, id);
    },
    async connect(output, id) {
      await drag(
        findHandle(output),
        await toCentre(findNode(page, id).locator(".react-flow__handle.target")),
      );
    },
    async select(id) {
      await click(findItem(page, id));
      await inspector.waitFor();
    },
    async insert(label, path) {
      await click(inspector.getByRole("button", { name: `Values for ${label}`, exact: true }));
      const panel = page.locator("[data-values]");
      await panel.waitFor();
      for (const [at, name] of path.slice(0, -1).entries()) {
        const line = findLine(panel, name, at + 1).and(page.locator("[aria-expanded]"));
        // A value has members once its run is read.
        await line.waitFor();
        if ((await line.getAttribute("aria-expanded")) === "false") await click(line);
      }
      await click(findLine(panel, path.at(-1) ?? "", path.length));
      await panel.waitFor({ state: "detached" });
    },
  };
}

async function toCentre(of: Locator): Promise<{ x: number; y: number }> {
  const box = await of.boundingBox();
  if (box === null) throw new Error("It is not visible.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** A place on the ground right of and below an item. */
async function findGround(page: Page, id: string): Promise<{ x: number; y: number }> {
  const { x, y } = await toCentre(findItem(page, id));
  return { x: x + 130, y: y + 104 };
}

const findLine = (panel: Locator, name: string, level: number) =>
  panel.locator(`[role=treeitem][data-name="${name}"][aria-level="${level}"]`).first();

const findNode = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`);
