import type { Person, World } from "./world/records.ts";
import { countLogs, createWorld } from "./world/world.ts";

/** Something that a person asks for, and what a right answer says. */
export type Task = {
  id: string;
  text: string;
  /** Every right answer has these texts, in any order. */
  answer: string[];
  /** Tasks with `many` need three or more reads. */
  kind: "few" | "many";
};

export function listTasks(world: World = createWorld()): Task[] {
  return [...listFew(world), ...listMany(world)];
}

function listFew({
  customers,
  issues,
  people,
  stock,
  services,
  invoices,
  events,
  incidents,
}: World) {
  const customer = at(customers, 7);
  const issue = at(issues, 62);
  const person = at(people, 11);
  const onCall = toPerson(people, at(services, 0).on_call_id);
  const tents = stock.find(({ sku, warehouse }) => sku === "TENT-2P" && warehouse === "Oslo");
  const overdue = invoices.filter(({ status }) => status === "overdue").at(3);
  const debtor = customers.find(({ id }) => id === overdue?.customer_id);
  const next = events
    .filter(({ person_id: id, starts_at: time }) => id === person.id && time >= "2026-11-20")
    .toSorted((first, second) => first.starts_at.localeCompare(second.starts_at));
  const media = incidents.filter(
    ({ service, started_at: time }) => service === "media" && time >= "2026-10-10",
  );
  return toTasks("few", [
    [`Which plan is the customer ${customer.name} on?`, [customer.plan]],
    [
      `Is the issue ${issue.id} open or closed, and what is the name of the person it is assigned to?`,
      [issue.state, toPerson(people, issue.assignee_id).name],
    ],
    ["How many pieces of TENT-2P are in the Oslo warehouse?", [String(tents?.quantity)]],
    ["Who is on call for the checkout service? Give the name.", [onCall.name]],
    [
      "The parcel of order 5012 arrived damaged. Refund it and tell me the number of the refund. I confirm.",
      ["R-5012"],
    ],
    [
      'Open an issue with the title "Footer link broken" and the label bug in the project WEB, and tell me its id. I confirm.',
      ["WEB-31"],
    ],
    ["What is the amount of invoice INV-1007?", [String(at(invoices, 6).amount)]],
    [
      `When is the next meeting of ${person.name} from 20 November 2026 on, and what is its title?`,
      [at(next, 0).starts_at.slice(0, 10), at(next, 0).title],
    ],
    [
      "How many error lines has the service search written on 19 November 2026?",
      [String(countLogs("search", "error", "2026-11-19"))],
    ],
    [`In which office does ${person.name} work?`, [person.office]],
    [
      "Which incidents has the service media had since 10 October 2026? Give their ids.",
      media.map(({ id }) => id),
    ],
    [
      `Remind ${debtor?.name} of the invoice ${overdue?.number}, and tell me the number of the reminder. I confirm.`,
      [`M-${overdue?.number.slice(4)}`],
    ],
  ]);
}

function listMany({ customers, issues, people, stock, services, invoices, orders }: World) {
  const wanted = [5003, 5010, 5021, 5034, 5042];
  const sum = orders
    .filter(({ id }) => wanted.includes(id))
    .reduce((total, order) => total + order.total, 0);
  const ids = ["PAY-1", "PAY-2", "PAY-3", "PAY-4"];
  const assignees = issues
    .filter(({ id }) => ids.includes(id))
    .map(({ assignee_id: id }) => toPerson(people, id).name);
  const articles = ["TENT-1P", "BAG-55L", "STOVE-S", "LAMP-H", "ROPE-60", "POLE-C"];
  const low = stock.filter(
    ({ sku, warehouse, quantity }) =>
      articles.includes(sku) && warehouse === "Gdansk" && quantity < 40,
  );
  const debtors = [at(customers, 2), at(customers, 9), at(customers, 15)];
  const owed = invoices
    .filter(
      ({ customer_id: id, status }) =>
        status !== "paid" && debtors.some((customer) => customer.id === id),
    )
    .reduce((total, { amount }) => total + amount, 0);
  const watched = services.slice(2, 6);
  const mobile = people.filter(({ team }) => team === "Mobile");
  const bugs = mobile.map(
    ({ id, name }) =>
      `${name}: ${issues.filter((one) => one.assignee_id === id && one.state === "open" && one.labels.includes("bug")).length}`,
  );
  const shown = ["checkout", "search", "catalog", "accounts", "mailer", "media"];
  const noisy = shown.filter((name) => countLogs(name, "error", "2026-11-18") > 130);
  const swedes = customers.filter(({ country }) => country === "SE").slice(0, 5);
  const managers = swedes.map(({ account_manager_id: id }) => toPerson(people, id).email);
  return toTasks("many", [
    [`What is the sum of the totals of the orders ${wanted.join(", ")}?`, [String(sum)]],
    [`Give the names of the people to whom ${ids.join(", ")} are assigned.`, assignees],
    [
      `Which of the articles ${articles.join(", ")} have fewer than 40 pieces in Gdansk?`,
      low.map(({ sku }) => sku),
    ],
    [
      `How much do ${debtors.map(({ name }) => name).join(", ")} owe us together, in open and overdue invoices?`,
      [String(owed)],
    ],
    [
      `Give the e-mail addresses of those who are on call for ${watched.map(({ name }) => name).join(", ")}.`,
      watched.map(({ on_call_id: id }) => toPerson(people, id).email),
    ],
    [
      'How many open issues with the label bug does each member of the team Mobile have? Answer as "Name: number" lines.',
      bugs,
    ],
    [
      `Which of the services ${shown.join(", ")} have written more than 130 error lines on 18 November 2026?`,
      noisy,
    ],
    [
      `Give the e-mail addresses of the account managers of the customers ${swedes.map(({ name }) => name).join(", ")}.`,
      managers,
    ],
  ]);
}

function toTasks(kind: Task["kind"], list: ReadonlyArray<readonly [string, string[]]>): Task[] {
  return list.map(([text, answer], index) => ({
    id: `${kind}-${index + 1}`,
    text,
    answer: [...new Set(answer)],
    kind,
  }));
}

function toPerson(people: readonly Person[], wanted: string): Person {
  const person = people.find(({ id }) => id === wanted);
  if (person === undefined) throw new Error(`There is no person ${wanted}.`);
  return person;
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) throw new Error(`There is no item ${index}.`);
  return item;
}
