import type {
  CalendarEvent,
  Customer,
  Incident,
  Invoice,
  Issue,
  Order,
  Person,
  StockItem,
  World,
} from "./records.ts";

const firstNames = "Ada,Bo,Cleo,Dana,Emil,Finn,Greta,Hugo,Ida,Jon,Kaia,Lars,Mina,Nils,Oda".split(
  ",",
);
const lastNames = "Berg,Dahl,Eide,Foss,Haug,Lund".split(",");
const teams = ["Web", "Mobile", "Payments", "Platform", "Support"];
const companies =
  "Alder,Birch,Cedar,Dogwood,Elm,Fir,Gorse,Hazel,Ivy,Juniper,Kapok,Larch,Maple,Nettle,Oak,Pine,Quince,Rowan,Spruce,Teak".split(
    ",",
  );
const skus =
  "TENT-1P,TENT-2P,TENT-4P,BAG-30L,BAG-55L,STOVE-S,STOVE-L,LAMP-H,LAMP-T,ROPE-30,ROPE-60,MAT-R,MAT-W,POLE-C,POLE-A".split(
    ",",
  );
export const serviceNames =
  "checkout,search,catalog,accounts,mailer,payments-api,media,reports".split(",");
export const levels = ["error", "warn", "info"] as const;

const dayMs = 86_400_000;
const firstDay = Date.UTC(2026, 9, 1);

/** The same company at each call. Numbers follow from their place alone. */
export function createWorld(): World {
  const people = range(30, toPerson);
  const issues = ["WEB", "MOB", "PAY", "PLT"].flatMap((project) =>
    range(30, (index) => toIssue(project, index, people)),
  );
  const customers = range(40, (index) => toCustomer(index, people));
  return {
    people,
    issues,
    customers,
    orders: range(150, (index) => toOrder(index, customers)),
    stock: skus.flatMap((sku, at) =>
      ["Oslo", "Gdansk"].map((warehouse, side) => toStock(sku, warehouse, at * 2 + side)),
    ),
    invoices: range(90, (index) => toInvoice(index, customers)),
    services: serviceNames.map((name, at) => ({
      name,
      state: choose(["up", "up", "degraded", "up", "down"] as const, at),
      on_call_id: choose(people, at * 7 + 3).id,
      repository: `fjord/${name}`,
    })),
    incidents: range(16, toIncident),
    events: people.flatMap((person, at) => range(6, (index) => toEvent(person, at, index))),
  };
}

/** Log lines of a service on a day. */
export function countLogs(service: string, level: string, day: string): number {
  return mix(`${service} ${level} ${day}`) % (level === "error" ? 180 : 5_000);
}

function toPerson(index: number): Person {
  const first = choose(firstNames, index);
  const last = choose(lastNames, Math.floor(index / 15) * 3 + (index % 3));
  return {
    id: `p${pad(index + 1)}`,
    name: `${first} ${last}`,
    email: `${first}.${last}@fjord.example`.toLowerCase(),
    team: choose(teams, index),
    office: choose(["Oslo", "Bergen", "Gdansk"], mix(first + last)),
    manager_id: index < 5 ? null : `p${pad((index % 5) + 1)}`,
  };
}

function toIssue(project: string, index: number, people: readonly Person[]): Issue {
  const number = mix(`${project}${index}`);
  const what = choose(["Button", "Report", "Import", "Sign-in", "Receipt", "Filter"], number);
  const how = choose(["is slow", "shows the wrong date", "fails in Safari", "needs a hint"], index);
  return {
    id: `${project}-${index + 1}`,
    project,
    title: `${what} ${how}`,
    state: number % 3 === 0 ? "closed" : "open",
    labels:
      number % 2 === 0 ? ["bug"] : ["feature", "design"].slice(0, 1 + (number % 5 === 0 ? 1 : 0)),
    priority: choose(["low", "normal", "high"] as const, number >> 3),
    assignee_id: choose(people, number >> 2).id,
    created_at: toTime(index * 1.7),
    description: `${what} ${how}. Seen by ${1 + (number % 40)} customers since the release of week ${40 + (index % 8)}. Steps: open the page, choose a period, wait. Expected: an answer within a second.`,
  };
}

function toCustomer(index: number, people: readonly Person[]): Customer {
  const name = `${choose(companies, index)} ${index < 20 ? "AS" : "Group"}`;
  return {
    id: `c${pad(index + 1)}`,
    name,
    email: `office@${name.toLowerCase().replace(" ", "-")}.example`,
    country: choose(["NO", "PL", "DE", "SE"], mix(name)),
    plan: choose(["basic", "plus", "pro"], mix(name) >> 4),
    account_manager_id: choose(people, mix(name) >> 6).id,
  };
}

function toOrder(index: number, customers: readonly Customer[]): Order {
  const number = mix(`order ${index}`);
  const items = range(1 + (number % 4), (at) => ({
    sku: choose(skus, number + at * 3),
    quantity: 1 + ((number >> at) % 3),
    price: 200 + ((number >> (at + 2)) % 40) * 25,
  }));
  return {
    id: 5001 + index,
    customer_id: choose(customers, number >> 5).id,
    status: choose(["paid", "shipped", "shipped", "refunded", "cancelled"] as const, number >> 3),
    placed_at: toTime(index * 0.37),
    items,
    total: items.reduce((sum, { quantity, price }) => sum + quantity * price, 0),
    currency: "NOK",
    shipping_address: `${1 + (number % 90)} Harbour Street, ${choose(["Oslo", "Gdynia", "Kiel", "Malmö"], number)}`,
  };
}

function toStock(sku: string, warehouse: string, index: number): StockItem {
  const number = mix(sku + warehouse);
  return {
    sku,
    warehouse,
    quantity: number % 60,
    minimum: 15 + (index % 3) * 5,
    shelf: `${choose(["A", "B", "C"], number)}${number % 30}`,
  };
}

function toInvoice(index: number, customers: readonly Customer[]): Invoice {
  const number = mix(`invoice ${index}`);
  return {
    number: `INV-${1001 + index}`,
    customer_id: choose(customers, number >> 4).id,
    status: choose(["open", "paid", "overdue"] as const, number),
    amount: 1_000 + (number % 700) * 10,
    due: toTime(20 + (index % 50)).slice(0, 10),
  };
}

function toIncident(index: number): Incident {
  const started = index * 3.3;
  return {
    id: `INC-${index + 1}`,
    service: choose(serviceNames, mix(`incident ${index}`)),
    title: choose(
      ["High latency", "Errors after a release", "Queue is full", "Disk is full"],
      index,
    ),
    started_at: toTime(started),
    resolved_at: index > 13 ? null : toTime(started + 0.2),
  };
}

function toEvent(person: Person, at: number, index: number): CalendarEvent {
  return {
    person_id: person.id,
    title: choose(["Planning", "Review", "Interview", "One to one", "Demo"], at + index * 2),
    starts_at: toTime(44 + index * 3 + (at % 3), 8 + ((at + index) % 8)),
    place: choose(["Fjord", "Skog", "Hav"], at + index),
  };
}

/** Each pick is a number that looks random, but is the same in each process. */
function mix(text: string): number {
  let state = 2_166_136_261;
  for (const char of text) state = Math.imul(state ^ (char.codePointAt(0) ?? 0), 16_777_619);
  state ^= state >>> 15;
  return Math.imul(state, 2_246_822_507) >>> 4;
}

function choose<Item>(items: readonly Item[], number: number): Item {
  const item = items[number % items.length];
  if (item === undefined) throw new Error("There is nothing to choose from.");
  return item;
}

function range<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function pad(number: number): string {
  return String(number).padStart(2, "0");
}

function toTime(days: number, hour = 9): string {
  const day = firstDay + Math.floor(days) * dayMs;
  return new Date(day + hour * 3_600_000).toISOString();
}
