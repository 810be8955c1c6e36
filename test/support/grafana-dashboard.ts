import { resolve } from "node:path";

const file = resolve(import.meta.dirname, "../../deploy/grafana/hub.json");

type Dashboard = {
  panels: ReadonlyArray<{ title: string; targets?: ReadonlyArray<{ expr: string }> }>;
  templating: { list: ReadonlyArray<{ definition?: string | undefined }> };
};

/** The dashboard of the checkout, as it is imported. */
export async function readDashboard(): Promise<unknown> {
  return await Bun.file(file).json();
}

/** Every query of the dashboard. */
export function listExpressions({ panels, templating }: Dashboard): string[] {
  const targets = panels.flatMap(({ targets = [] }) => targets);
  const definitions = templating.list.flatMap(({ definition }) => definition ?? []);
  return [...targets.map(({ expr }) => expr), ...definitions];
}

/** The metrics that a query names. */
export function findMetrics(expression: string): string[] {
  return expression.match(/\b(?:hub|process)_\w+/g) ?? [];
}

/** The name under which /metrics describes a metric: without the ending of a histogram's series. */
export function toBaseName(name: string): string {
  return name.replace(/_(?:bucket|count|sum)$/, "");
}
