import type { Page } from "playwright-core";
import type { PagePicture } from "./page-pictures.ts";
import type { SampleWorkflows } from "./sample-workflows.ts";

/** The pages of workflows, and of an approval that waits for the user. */
export function listWorkflowPictures({ orders, report, followUp, draft }: SampleWorkflows) {
  const press = (name: string | RegExp) => (page: Page) =>
    page.getByRole("button", { name }).first().click();
  const at = (id: string, search = "") => `/workflows/${id}${search}`;
  const pictures: PagePicture[] = [
    { name: "workflows", path: "/workflows" },
    { name: "workflows-user", path: "/workflows", as: "user" },
    { name: "workflows-none", path: "/workflows?q=nothing" },
    { name: "workflow-new", path: "/workflows?make=new", isWindow: true },
    {
      name: "workflow-example",
      path: "/workflows?make=new&example=alert-to-issue",
      isWindow: true,
    },
    { name: "workflow-import", path: "/workflows?make=import", isWindow: true },
    { name: "workflow", path: at(orders) },
    { name: "workflow-user", path: at(report), as: "user" },
    { name: "workflow-never-run", path: at(draft) },
    { name: "workflow-run", path: at(orders, "?open=run"), isWindow: true },
    { name: "workflow-run-payload", path: at(report, "?open=run"), isWindow: true },
    { name: "workflow-publish", path: at(orders, "?open=publish"), isWindow: true },
    { name: "workflow-runs", path: at(orders, "?tab=runs") },
    {
      name: "workflow-replay",
      path: at(orders, "?tab=runs"),
      isWindow: true,
      act: press(/^Replay/),
    },
    {
      name: "workflow-started",
      path: at(report, "?open=run"),
      async act(page) {
        await page.getByRole("dialog").getByRole("button", { name: "Run" }).click();
        await page.getByRole("heading", { name: "The run has ended" }).waitFor();
      },
    },
    { name: "workflow-schedule", path: at(followUp, "?tab=schedule") },
    { name: "workflow-ticks", path: at(report, "?tab=schedule") },
    {
      name: "workflow-move",
      path: at(followUp, "?tab=schedule"),
      isWindow: true,
      act: press(/^Move/),
    },
    { name: "workflow-webhooks", path: at(orders, "?tab=webhooks") },
    { name: "workflow-versions", path: at(orders, "?tab=versions") },
    { name: "workflow-secrets", path: at(orders, "?tab=secrets") },
    { name: "workflow-settings", path: at(orders, "?tab=settings") },
    { name: "canvas", path: at(orders, "/edit") },
    { name: "canvas-add", path: at(orders, "/edit"), isWindow: true, act: press("Add") },
    {
      name: "canvas-node",
      path: at(orders, "/edit"),
      isWindow: true,
      act: (page) => page.locator("[data-item]").nth(1).click(),
    },
    {
      name: "canvas-values",
      path: at(orders, "/edit"),
      isWindow: true,
      async act(page) {
        await page.locator("[data-item]").nth(2).click();
        await page.getByRole("button", { name: "Make the inspector wide" }).click();
        await page.waitForLoadState("networkidle");
      },
    },
    {
      name: "canvas-webhook",
      path: at(orders, "/edit"),
      isWindow: true,
      height: 2100,
      async act(page) {
        await page.locator("[data-item=order]").click();
        await page.getByText("More", { exact: true }).click();
        await page.getByLabel("Signed by").selectOption("standard");
        await page.getByLabel("Delivery id", { exact: true }).fill("{{.Event.Payload.body.id}}");
        await page
          .getByLabel("Allowed origins", { exact: true })
          .fill('["https://shop.example.com", "https://www.example.com"]');
        await page.waitForLoadState("networkidle");
      },
    },
    {
      name: "canvas-empty",
      path: at(draft, "/edit"),
      act: (page) => page.waitForLoadState("networkidle"),
    },
    {
      name: "canvas-run",
      path: at(orders),
      async act(page) {
        const run = page.locator("main a[href*='/runs/']").first();
        await page.goto(new URL((await run.getAttribute("href")) ?? "", page.url()).href);
        await page.locator("[data-item]").first().waitFor();
      },
    },
    { name: "workflow-unknown", path: at("nothing-here") },
  ];
  return pictures;
}
