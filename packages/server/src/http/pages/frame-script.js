// Runs in each server-rendered page, which works without it. It adds what the app has: colours, palette, counts, relative times.
const root = document.documentElement;
const menu = document.querySelector("nav.hub-nav");
const make = (tag, given = {}) => Object.assign(document.createElement(tag), given);

const schemes = ["auto", "light", "dark"];
const schemeNames = { auto: "as the system", light: "light", dark: "dark" };

function setScheme(scheme) {
  const age = scheme === "auto" ? 0 : 365 * 24 * 3600;
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox ESR.
  document.cookie = `hub_scheme=${scheme}; path=/; max-age=${age}; samesite=lax`;
  if (scheme === "auto") delete root.dataset.scheme;
  else root.dataset.scheme = scheme;
  showScheme();
}

function showScheme() {
  const button = document.getElementById("scheme");
  if (button === null) return;
  const scheme = root.dataset.scheme ?? "auto";
  const following = schemes[(schemes.indexOf(scheme) + 1) % schemes.length];
  const label = `Colours: ${schemeNames[scheme]}. Switch to ${schemeNames[following]}`;
  for (const icon of button.children) icon.toggleAttribute("hidden", icon.id !== `is-${scheme}`);
  Object.assign(button, { hidden: false, ariaLabel: label, title: label });
  button.onclick = () => setScheme(following);
}

const foldNames = { folded: "Show the names of the menu", open: "Fold the menu to icons" };

function setFold(fold) {
  // The cookie of all pages but the graphs of workflows, which the app has.
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store API is missing in Firefox ESR.
  document.cookie = `hub_menu=${fold}; path=/; max-age=${365 * 24 * 3600}; samesite=lax`;
  root.dataset.menu = fold;
  showFold();
}

function showFold() {
  const button = document.getElementById("fold");
  if (button === null) return;
  const fold = root.dataset.menu;
  const label = foldNames[fold];
  for (const icon of button.children) icon.toggleAttribute("hidden", icon.id !== `is-${fold}`);
  Object.assign(button, { hidden: false, ariaLabel: label, title: label });
  button.ariaExpanded = String(fold === "open");
  button.onclick = () => setFold(fold === "open" ? "folded" : "open");
}

const units = [
  ["year", 365 * 86_400_000],
  ["month", 30 * 86_400_000],
  ["day", 86_400_000],
  ["hour", 3_600_000],
  ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat("en", {
  dateStyle: "medium",
  timeStyle: "long",
  hourCycle: "h23",
});

/** Times as in the app: relative, with the exact one on hover. */
function showTimes() {
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = Date.parse(time.dateTime);
    const sinceMs = at - Date.now();
    const unit = units.find(([, ms]) => Math.abs(sinceMs) >= ms);
    time.title = exact.format(at);
    const round = sinceMs > 0 ? Math.round : Math.trunc;
    time.textContent =
      unit === undefined ? "just now" : relative.format(round(sinceMs / unit[1]), unit[0]);
  }
}

const approvalsMax = 99;

async function showApprovals() {
  const link = menu.querySelector('a[href="/approvals"]');
  const query = `state=pending&mine=true&limit=${approvalsMax + 1}`;
  const answer = await fetch(`/manager/api/approvals?${query}`);
  if (!answer.ok) return;
  const { approvals } = await answer.json();
  const count = approvals.filter((one) => one.may_decide).length;
  if (count === 0) return;
  const text = count > approvalsMax ? `${approvalsMax}+` : String(count);
  const shown = make("span", { className: "hub-count", textContent: text });
  shown.append(make("span", { className: "hub-unseen", textContent: " waiting for you" }));
  link?.append(shown);
}

/** The pages of the menu, and what can be done from everywhere. */
function listEntries() {
  const links = [...menu.querySelectorAll("a")].map((link) => {
    const title = link.closest("ul").previousElementSibling;
    const note = title?.tagName === "H2" ? title.textContent : "Page";
    return {
      name: link.querySelector(".hub-name").textContent,
      note,
      path: link.pathname,
    };
  });
  const colours = {
    light: "Use light colours",
    dark: "Use dark colours",
    auto: "Use the colours of the system",
  };
  const actions = Object.entries(colours).map(([scheme, name]) => {
    return { name, note: "Action", run: () => setScheme(scheme) };
  });
  const signOut = {
    name: "Sign out",
    note: "Action",
    run: () => menu.querySelector("form").submit(),
  };
  return { links, actions: [...actions, signOut] };
}

function toFound(found) {
  const row = ({ row, connector }) => `/manager/connectors/${connector}/${row}`;
  return [
    ...found.connectors.map(({ key, name }) => ({
      name,
      note: "Connector",
      path: `/manager/connectors/${key}`,
    })),
    ...found.rows.map(({ id, label, connector }) => ({
      name: label,
      note: `Row of ${connector}`,
      path: row({ row: id, connector }),
    })),
    ...found.workflow_runs.map(({ id, workflow, name }) => ({
      name: id,
      note: `Run of ${name}`,
      path: `/workflows/${workflow}/runs/${id}`,
    })),
    ...found.workflows.map(({ id, name }) => ({
      name,
      note: "Workflow",
      path: `/workflows/${id}`,
    })),
    ...found.users.map(({ id, email, name }) => ({
      name: email,
      note: name || "User",
      path: `/admin/users/${id}`,
    })),
    ...found.tags.map(({ name }) => ({
      name,
      note: "Tag",
      path: `/admin/tags/${encodeURIComponent(name)}`,
    })),
    ...found.operations.map(({ key, name, label, ...one }) => ({
      name,
      note: label,
      path: `${row(one)}?tab=operations&q=${encodeURIComponent(key)}`,
    })),
  ];
}

const pauseMs = 150;
const searchedMin = 2;

function openPalette() {
  if (document.querySelector("dialog.palette[open]") !== null) return;
  const { links, actions } = listEntries();
  const dialog = make("dialog", { className: "palette", ariaLabel: "Search" });
  const input = make("input", {
    type: "text",
    autocomplete: "off",
    placeholder: "Find pages, connectors, rows, operations, workflows",
  });
  const list = make("div", { id: "palette-list", role: "listbox", ariaLabel: "Results" });
  const note = make("p", { role: "status" });
  Object.assign(input, { role: "combobox", ariaLabel: "Search", ariaExpanded: "true" });
  input.setAttribute("aria-controls", list.id);
  let [entries, found, at, timer, asked] = [[], [], 0, 0, 0];

  const open = (entry) => {
    if (entry === undefined) return;
    dialog.close();
    if (entry.run === undefined) location.assign(entry.path);
    else entry.run();
  };
  const mark = (to) => {
    at = to;
    for (const [index, option] of [...list.children].entries())
      option.ariaSelected = String(index === at);
    list.children[at]?.scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", entries.length > 0 ? `palette-${at}` : "");
  };
  const show = (isSearching) => {
    const words = input.value.trim().toLowerCase().split(/\s+/);
    const has = ({ name }) => words.every((word) => name.toLowerCase().includes(word));
    const isEmpty = input.value.trim() === "";
    entries = [
      ...links.filter(has),
      ...(isEmpty ? [] : actions.filter(has)),
      ...(isEmpty ? [] : found),
    ];
    list.replaceChildren(
      ...entries.map((entry, index) => {
        const option = make("div", {
          id: `palette-${index}`,
          role: "option",
          onclick: () => open(entry),
          onpointermove: () => index !== at && mark(index),
        });
        option.append(
          make("span", { textContent: entry.name }),
          make("small", { textContent: entry.note }),
        );
        return option;
      }),
    );
    note.textContent = isSearching
      ? "Searching…"
      : entries.length === 0
        ? "Nothing has this name."
        : "";
    mark(0);
  };
  const search = async () => {
    asked += 1;
    const turn = asked;
    const q = input.value.trim().slice(0, 100);
    const answer = await fetch(`/manager/api/search?${new URLSearchParams({ q })}`).catch(
      () => null,
    );
    const body = await answer?.json().catch(() => null);
    if (turn !== asked) return;
    found = answer?.ok === true ? toFound(body) : [];
    show(false);
    if (answer?.ok !== true)
      note.textContent = body?.error ?? "The hub does not answer. Check your connection.";
  };
  input.oninput = () => {
    clearTimeout(timer);
    asked += 1;
    found = [];
    const isSearched = input.value.trim().length >= searchedMin;
    if (isSearched) timer = setTimeout(search, pauseMs);
    show(isSearched);
  };
  input.onkeydown = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") open(entries[at]);
    else if (step !== undefined && entries.length > 0)
      mark((at + step + entries.length) % entries.length);
    else return;
    event.preventDefault();
  };
  dialog.onclick = ({ target }) => target === dialog && dialog.close();
  dialog.onclose = () => {
    clearTimeout(timer);
    dialog.remove();
  };
  dialog.append(input, list, note);
  document.body.append(dialog);
  show(false);
  dialog.showModal();
  input.focus();
}

showScheme();
showFold();
showTimes();
if (menu !== null) {
  void showApprovals().catch(() => {});
  const link = document.querySelector("a.hub-search");
  const isMac = /mac|iphone|ipad/i.test(navigator.userAgent);
  link.append(make("kbd", { textContent: isMac ? "⌘K" : "Ctrl K" }));
  link.onclick = (event) => {
    event.preventDefault();
    openPalette();
  };
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey) return;
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    openPalette();
  });
}
