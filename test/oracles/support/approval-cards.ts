import type { Page } from "playwright-core";

/** The windows in which a card must show what decides without scrolling. */
export const cardSizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const;

/**
 * The texts that a person sees without scrolling: those of which every line is inside of the window, and that nothing
 * covers. A text that ends in an ellipsis is not among them.
 */
export function readSeen(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${seen})()`);
}

const seen = `() => {
  const isSeen = (rect, parent) => {
    if (rect.top < 0 || rect.left < 0 || rect.bottom > innerHeight || rect.right > innerWidth) return false;
    return [0.1, 0.5, 0.9].every((part) => {
      const x = rect.left + rect.width * part;
      const top = document.elementFromPoint(x, (rect.top + rect.bottom) / 2);
      return top !== null && (parent.contains(top) || top.contains(parent));
    });
  };
  const isWhole = (element) => {
    for (let at = element; at !== null && at !== document.body; at = at.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(at);
      if (overflowX !== "visible" && at.scrollWidth > at.clientWidth + 1) return false;
      if (overflowY === "hidden" && at.scrollHeight > at.clientHeight + 1) return false;
    }
    return true;
  };
  const texts = [];
  const walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const text = node.data.trim();
    if (text === "" || node.parentElement === null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const rects = [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
    const parent = node.parentElement;
    if (rects.length > 0 && rects.every((rect) => isSeen(rect, parent)) && isWhole(parent)) texts.push(text);
  }
  return texts;
}`;

/** Waits for a card, until its keys decide. Returns the texts that are seen without scrolling. */
export async function readCard(page: Page, title: string | RegExp): Promise<string[]> {
  await page.getByRole("heading", { level: 1, name: title }).waitFor();
  await page.locator("[data-settled]").waitFor({ state: "attached" });
  return await readSeen(page);
}

/** The value that stands behind a label in the definition list of a card. */
export function readValue(seenTexts: readonly string[], label: string): string | undefined {
  const at = seenTexts.indexOf(label);
  return at === -1 ? undefined : seenTexts[at + 1];
}

/** Gives the page other answers about approvals, as a later or hostile server would. */
export async function changeApprovals(
  page: Page,
  change: (approval: Record<string, unknown>) => Record<string, unknown>,
): Promise<void> {
  await page.route(/\/manager\/api\/approvals(\/|\?)/, async (route) => {
    const response = await route.fetch();
    const answer: Record<string, unknown> = Object(await response.json());
    const { approvals } = answer;
    const changed = Array.isArray(approvals)
      ? { ...answer, approvals: approvals.map((one) => change(Object(one))) }
      : change(answer);
    await route.fulfill({ response, json: response.ok() ? changed : answer });
  });
}
