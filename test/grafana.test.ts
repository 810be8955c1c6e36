/** The dashboard for Grafana shows metrics that the hub has, in the form that Grafana imports. */
import { expect, test } from "bun:test";
import { z } from "zod";
import {
  findMetrics,
  listExpressions,
  readDashboard,
  toBaseName,
} from "./support/grafana-dashboard.ts";
import { startHub } from "./support/start-hub.ts";

/** The variable by which a user picks the data source. */
const sourceVariable = ["$", "{datasource}"].join("");

const dataSource = z.object({ type: z.literal("prometheus"), uid: z.literal(sourceVariable) });

const targetSchema = z.object({
  refId: z.string().regex(/^[A-Z]$/),
  datasource: dataSource,
  expr: z.string().min(1),
  legendFormat: z.string(),
});

const gridSchema = z.object({
  x: z.int().min(0).max(23),
  y: z.int().min(0),
  w: z.int().min(1).max(24),
  h: z.int().min(1),
});

const panelSchema = z.discriminatedUnion("type", [
  z.object({
    id: z.int().min(1),
    type: z.literal("row"),
    title: z.string().min(1),
    collapsed: z.literal(false),
    gridPos: gridSchema,
    panels: z.array(z.never()),
  }),
  z.object({
    id: z.int().min(1),
    type: z.enum(["timeseries", "stat"]),
    title: z.string().min(1),
    datasource: dataSource,
    gridPos: gridSchema,
    targets: z.array(targetSchema).min(1),
    fieldConfig: z.object({
      defaults: z.object({ unit: z.string() }),
      overrides: z.array(z.unknown()),
    }),
    options: z.record(z.string(), z.unknown()),
  }),
]);

/** The members that Grafana reads from an imported file. */
const dashboardSchema = z.object({
  id: z.null(),
  uid: z.string().regex(/^[\w-]{1,40}$/),
  title: z.string().min(1),
  schemaVersion: z.int().min(36),
  version: z.int(),
  time: z.object({ from: z.string(), to: z.string() }),
  templating: z.object({
    list: z.array(
      z.object({
        name: z.string(),
        type: z.enum(["datasource", "query"]),
        definition: z.string().optional(),
      }),
    ),
  }),
  annotations: z.object({ list: z.array(z.unknown()) }),
  __inputs: z.array(z.unknown()),
  __requires: z.array(z.object({ type: z.string(), id: z.string() })),
  panels: z.array(panelSchema),
});

const dashboard = dashboardSchema.parse(await readDashboard());
const targets = dashboard.panels.flatMap((panel) => (panel.type === "row" ? [] : panel.targets));
const expressions = listExpressions(dashboard);

test("Every metric and label of the dashboard is in /metrics of a running hub", async () => {
  await using hub = await startHub({ isHere: true });
  const refused = await fetch(`${hub.url}/mcp`, { method: "POST" });
  expect(refused.status).toBe(401);
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call" };
  await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${hub.adminToken()}`,
    },
    body: JSON.stringify({ ...message, params: { name: "hub_list", arguments: {} } }),
  });
  const text = await (await fetch(`${hub.url}/metrics`)).text();
  for (const expression of expressions) {
    const names = findMetrics(expression);
    expect(names).not.toEqual([]);
    // test/oracles looks at these.
    if (isOfPostgres(expression)) continue;
    for (const name of names) {
      expect(text).toMatch(new RegExp(`^# TYPE ${toBaseName(name)} \\w+$`, "m"));
    }
  }
  // There was no sign-in, so this metric has no labels yet.
  const isCounted = (expr: string) => !expr.includes("hub_sign_ins_total") && !isOfPostgres(expr);
  const counted = targets.filter(({ expr }) => isCounted(expr));
  for (const { expr, legendFormat } of counted) {
    const [name = ""] = findMetrics(expr);
    const grouped = expr.match(/\bby \(([^)]*)\)/)?.[1]?.split(", ") ?? [];
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    // Prometheus itself adds the label of the server.
    for (const label of new Set([...grouped, ...shown].filter((each) => each !== "instance"))) {
      expect(text).toMatch(new RegExp(`^${name}\\{[^}]*\\b${label}="`, "m"));
    }
  }
});

function isOfPostgres(expression: string): boolean {
  return /hub_(?:database|clock)_/.test(expression);
}

test("The dashboard's ids differ, its panels do not overlap, and its variables exist", () => {
  const ids = dashboard.panels.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const cells = new Set<string>();
  for (const { gridPos, title } of dashboard.panels) {
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect(cells.has(`${x},${y}`), title).toBeFalse();
        cells.add(`${x},${y}`);
      }
    }
  }
  const known = new Set(dashboard.templating.list.map(({ name }) => name));
  for (const [, name = ""] of expressions.join(" ").matchAll(/\$\{?(\w+)/g)) {
    expect(known.has(name) || name.startsWith("__"), name).toBeTrue();
  }
  for (const panel of dashboard.panels) {
    if (panel.type === "row") continue;
    const refIds = panel.targets.map(({ refId }) => refId);
    expect(new Set(refIds).size).toBe(refIds.length);
  }
});
