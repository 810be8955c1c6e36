import { SetupError } from "@hub/connector";
import { isExpectedError } from "../is-expected-error.ts";

export type Widget = { html: string };

export function toNotice(text: string): Widget {
  return { html: `<p role="status">${escapeMarkup(text)}</p>` };
}

/** Creates one button for each choice. The current choice is marked. */
export function toPicker(
  heading: string,
  choices: ReadonlyArray<{ value: string; name: string; detail: string }>,
  saved: string | undefined,
): Widget {
  const items = choices.map(({ value, name, detail }) => {
    const isSaved = value === saved;
    const suffix = isSaved ? " <strong>(selected)</strong>" : "";
    return `<li><button type="button" data-op="__select" data-arg="${escapeMarkup(value)}" aria-pressed="${isSaved}">${escapeMarkup(name)}</button> <small>${escapeMarkup(detail)}</small>${suffix}</li>`;
  });
  const isGone = saved !== undefined && !choices.some(({ value }) => value === saved);
  const missingNotice = isGone
    ? `<p role="status">${escapeMarkup(saved)} is set, but is not in this list.</p>`
    : "";
  return { html: `<p>${escapeMarkup(heading)}</p>${missingNotice}<ul>${items.join("")}</ul>` };
}

/** Creates a widget's markup. An error that an admin can correct becomes a notice instead. */
export async function drawWidget(draw: () => Promise<Widget>): Promise<Widget> {
  try {
    return await draw();
  } catch (thrown) {
    if (thrown instanceof SetupError)
      return toNotice(`The widget cannot be shown yet: ${thrown.problem}.`);
    if (isExpectedError(thrown)) return toNotice(thrown.message);
    throw thrown;
  }
}

/** Escapes text of the host or of an admin for markup and attributes. */
function escapeMarkup(text: string): string {
  return text.replace(/[&<>"'`=]/g, (character) => `&#${character.charCodeAt(0)};`);
}
