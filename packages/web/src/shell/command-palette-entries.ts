import type { IconName } from "@hub/contract/icons.ts";
import { listNavigation } from "@hub/contract/navigation.ts";
import { rowStateTexts } from "@hub/contract/row-state-texts.ts";
import type { Found } from "@hub/contract/search-result.ts";
import { useMantineColorScheme } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import type { ApiError } from "../api/api-error.ts";
import { useApi } from "../api/use-api.ts";
import type { Me } from "../api/use-me.ts";
import { matchesText } from "../ui/tables/text-filters.ts";
import { useCompactLines } from "../ui/tables/use-compact-lines.ts";

/** Something to go to, or to do. */
export type Entry = {
  key: string;
  name: string;
  note: string;
  icon: IconName;
  /** In place of the icon. */
  logo?: { connectorKey: string; name: string; logo: string | null };
} & ({ path: string; run?: undefined } | { run: () => void });

const runId = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The call with the typed id. */
export function findRun(typed: string): Entry[] {
  return runId.test(typed)
    ? [toPage(`/manager/runs/${typed.toLowerCase()}`, typed, "Call", "runs")]
    : [];
}

export function listPages(me: Me): Entry[] {
  return listNavigation(me).flatMap(({ title, items }) =>
    items.map(({ path, name, icon }) => toPage(path, name, title ?? "Page", icon)),
  );
}

/** What can be done from everywhere. */
export function useActions({ csrfToken, isAdmin }: Me): Entry[] {
  const { setColorScheme } = useMantineColorScheme();
  const [isCompact, setCompact] = useCompactLines();
  const toDo = (name: string, icon: IconName, run: () => void) => {
    return { key: name, name, note: "Action", icon, run };
  };
  const goTo = (path: string, name: string, icon: IconName) => toPage(path, name, "Action", icon);
  return [
    goTo("/workflows?make=new", "Make a workflow", "workflow"),
    goTo("/workflows?state=failing", "Show workflows that failed", "warning"),
    ...(isAdmin ? [goTo("/manager/add", "Add a connection", "plus")] : []),
    ...(isAdmin ? [goTo("/manager/import", "Import MCP servers", "download")] : []),
    goTo("/profile/tokens", "Make a token", "key"),
    goTo("/profile/mcp", "Connect a client", "connect"),
    goTo("/manager/runs?live=true", "Follow new calls", "runs"),
    goTo("/manager/runs?status=error", "Show failed calls", "warning"),
    toDo("Use light colours", "sun", () => setColorScheme("light")),
    toDo("Use dark colours", "moon", () => setColorScheme("dark")),
    toDo("Use the colours of the system", "screen", () => setColorScheme("auto")),
    toDo(`Use ${isCompact ? "normal" : "compact"} lines in tables`, "menu", () =>
      setCompact(!isCompact),
    ),
    toDo("Sign out", "signOut", () => signOut(csrfToken)),
  ];
}

function signOut(csrfToken: string): void {
  const form = document.createElement("form");
  form.method = "post";
  form.action = "/auth/logout";
  const field = document.createElement("input");
  Object.assign(field, { type: "hidden", name: "csrf", value: csrfToken });
  form.append(field);
  document.body.append(form);
  form.submit();
}

const pauseMs = 150;
const searchedMin = 2;
const searchedMax = 100;

/** What the hub finds for the typed text, when the user pauses. Earlier results stay until then. */
export function useFound(typed: string): {
  found: Found | null;
  isSearching: boolean;
  failure: ApiError | null;
} {
  const text = typed.slice(0, searchedMax);
  const [q] = useDebouncedValue(text, pauseMs);
  const isOn = q.length >= searchedMin;
  const answer = useApi("GET /manager/api/search", { query: { q } }, { isOn });
  const [last, setLast] = useState<Found | null>(null);
  if (answer.data !== undefined && answer.data !== last) setLast(answer.data);
  const isWanted = text.length >= searchedMin;
  return {
    found: isWanted ? last : null,
    isSearching: isWanted && (q !== text || answer.isFetching),
    failure: isWanted ? answer.error : null,
  };
}

/** The results as entries. While a search runs, those of an earlier text that still have every word. */
export function listFound(
  { found, isSearching }: Pick<ReturnType<typeof useFound>, "found" | "isSearching">,
  typed: string,
  { isAdmin }: Me,
): Entry[] {
  if (found === null) return [];
  const entries = [
    ...found.connectors.flatMap(({ key, name, logo }) => [
      {
        ...toPage(`/manager/connectors/${key}`, name, "Connector", "connectors"),
        logo: { connectorKey: key, name, logo },
      },
      ...(isAdmin
        ? [toPage(`/manager/connectors/${key}/new`, `New row of ${name}`, "Action", "plus")]
        : []),
    ]),
    ...found.rows.map(({ id, label, connector, connector_name: of, logo, state }) => {
      const note = `Row of ${of}, ${rowStateTexts[state].toLowerCase()}`;
      const page = toPage(`/manager/connectors/${connector}/${id}`, label, note, "database");
      return { ...page, logo: { connectorKey: connector, name: label, logo } };
    }),
    ...found.workflow_runs.map(({ id, workflow, name }) =>
      toPage(`/workflows/${workflow}/runs/${id}`, id, `Run of ${name}`, "workflow"),
    ),
    ...listWorkflows(found, typed),
    ...found.users.map(({ id, email, name }) =>
      toPage(`/admin/users/${id}`, email, name || "User", "user"),
    ),
    ...found.tags.map(({ name }) =>
      toPage(`/admin/tags/${encodeURIComponent(name)}`, name, "Tag", "tag"),
    ),
    ...found.operations.map(({ row, label, connector, logo, key, name }) => {
      const path = isAdmin
        ? `/manager/connectors/${connector}/${row}?op=${key}`
        : `/operations/${row}/${key}`;
      const page = toPage(path, name, label, "play");
      return { ...page, logo: { connectorKey: connector, name: label, logo } };
    }),
  ];
  // A stale result must not be opened by Enter in the place of what is being searched.
  return isSearching
    ? entries.filter(({ name, note }) => matchesText(typed, [name, note]))
    : entries;
}

/** Workflows with what can be done. "run report" names an action, so it stands before the page. */
function listWorkflows({ workflows }: Found, typed: string): Entry[] {
  const entries = workflows.flatMap(({ id, name, may_start: mayStart, may_manage: mayManage }) => [
    toPage(`/workflows/${id}`, name, "Workflow", "workflow"),
    ...(mayStart ? [toPage(`/workflows/${id}?open=run`, `Run ${name}`, "Action", "play")] : []),
    ...(mayManage ? [toPage(`/workflows/${id}/edit`, `Edit ${name}`, "Action", "branch")] : []),
  ]);
  const isNamed = ({ name }: Entry) => Number(matchesText(typed, [name]));
  return entries.toSorted((one, other) => isNamed(other) - isNamed(one));
}

function toPage(path: string, name: string, note: string, icon: IconName): Entry {
  return { key: `${note} ${path} ${name}`, name, note, icon, path };
}
