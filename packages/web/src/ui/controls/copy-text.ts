/** Copies a text. Browsers have the clipboard only over https and on localhost. */
export async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return await navigator.clipboard.writeText(text);
  const area = document.createElement("textarea");
  area.value = text;
  area.setAttribute("readonly", "");
  document.body.append(area);
  area.select();
  document.execCommand("copy");
  area.remove();
}
