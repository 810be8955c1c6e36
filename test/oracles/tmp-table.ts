import { findChromium } from "./support/chromium.ts";
import { openApp } from "./support/open-app.ts";
import { fillHub } from "./support/page-cost.ts";
await using app = await openApp(findChromium() ?? "");
await fillHub(app, { rows: 60, calls: 600 });
for (const [path, width] of [["/manager/connectors", 1024], ["/manager/connectors", 1920], ["/manager/runs", 1920], ["/operations", 1920], ["/admin/users", 1920], ["/admin/tokens", 1920]] as const) {
  await using v = await app.open(path, { width });
  await v.page.waitForSelector("[role=table] [role=cell]");
  await v.untilIdle();
  console.log(path, width, await v.page.evaluate(`(() => { const t = document.querySelector("[role=table]"); const main = document.querySelector("main"); const t0 = t.getAttribute("style"); 
   const cut = [...t.querySelectorAll("[role=cell]")].filter(c => [c, ...c.querySelectorAll("*")].some(p => p.scrollWidth > p.clientWidth + 1 && getComputedStyle(p).overflowX !== "visible")).map(c => c.innerText.slice(0, 40));
   return [t.offsetWidth, main.clientWidth, t0, cut.length, cut.slice(0, 6)] })()`));
  await v.page.screenshot({ path: `/tmp/h6/t-${path.replaceAll("/", "_")}-${width}.png` });
}
process.exit(0);
