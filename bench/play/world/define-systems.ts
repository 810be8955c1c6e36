import { type ConnectorDefinition, defineConnector, InvalidInputError, wick } from "@hub/connector";
import { countLogs, levels, serviceNames, type World } from "./world.ts";

const pageSize = 20;

/** The systems of the company, with a row each. Nothing that is written changes what is read. */
export const systemLabels: Readonly<Record<string, string>> = {
  tracker: "Issue tracker",
  crm: "Customers",
  shop: "Web shop",
  stock: "Warehouses",
  people: "Staff directory",
  calendar: "Team calendar",
  status: "Operations board",
  logs_store: "Application logs",
  billing: "Invoicing",
};

export function defineSystems(world: World): ConnectorDefinition[] {
  return [
    defineTracker(world),
    defineCrm(world),
    defineShop(world),
    defineStock(world),
    definePeople(world),
    defineCalendar(world),
    defineStatus(world),
    defineLogs(),
    defineBilling(world),
  ];
}

function defineTracker({ issues }: World) {
  return defineConnector({
    ...toSystem("tracker", "Work items of the product teams: projects WEB, MOB, PAY, PLT."),
    operations: {
      list_issues: {
        name: "List issues",
        description: `List issues of a project, oldest first, ${pageSize} a page.\n\nDescriptions are left out; read one issue for them.`,
        reads: true,
        input: {
          Project: wick("desc=Key of the project, such as WEB"),
          State: wick("dropdown=open|closed"),
          Label: wick("desc=Only issues with this label"),
          Assignee: wick("key=assignee_id;desc=Only issues of this person"),
          Page: wick.int("default=1"),
        },
        run: ({ params }) =>
          toPage(
            issues
              .filter(
                (issue) =>
                  fits(params.Project, issue.project) &&
                  fits(params.State, issue.state) &&
                  fits(params.Assignee, issue.assignee_id) &&
                  (params.Label === undefined || issue.labels.includes(params.Label)),
              )
              .map(({ description: _, ...issue }) => issue),
            Number(params.Page),
          ),
      },
      get_issue: {
        name: "Get an issue",
        description: "Read one issue with its description.",
        reads: true,
        input: { Id: wick("required;key=issue_id;desc=Such as WEB-12") },
        run: ({ params }) => find(issues, ({ id }) => id === params.Id, "issue"),
      },
      create_issue: {
        name: "Create an issue",
        description: "Open a new issue in a project.",
        destructive: true,
        input: {
          Project: wick("required"),
          Title: wick("required"),
          Label: wick("desc=Such as bug"),
          Description: wick("textarea"),
        },
        run: ({ params }) => ({ id: `${params.Project}-31`, title: params.Title, state: "open" }),
      },
      add_comment: {
        name: "Comment on an issue",
        description: "Add a comment to an issue.",
        destructive: true,
        input: { Id: wick("required;key=issue_id"), Text: wick("required") },
        run: ({ params }) => ({ issue_id: params.Id, comment_id: 77 }),
      },
      close_issue: {
        name: "Close an issue",
        description: "Close an issue that is done.",
        destructive: true,
        input: { Id: wick("required;key=issue_id") },
        run: ({ params }) => ({ id: params.Id, state: "closed" }),
      },
    },
  });
}

function defineCrm({ customers }: World) {
  return defineConnector({
    ...toSystem("crm", "Companies that buy from us, with their plan and account manager."),
    operations: {
      find_customers: {
        name: "Find customers",
        description: "Search customers by a part of their name or by country.",
        reads: true,
        input: {
          Name: wick("desc=A part of the name"),
          Country: wick("desc=Two letters, such as NO"),
        },
        run: ({ params }) =>
          customers
            .filter(
              ({ name, country }) =>
                name.toLowerCase().includes((params.Name ?? "").toLowerCase()) &&
                fits(params.Country, country),
            )
            .map(({ id, name, country }) => ({ id, name, country })),
      },
      get_customer: {
        name: "Get a customer",
        description: "Read one customer: e-mail, plan, country, account manager.",
        reads: true,
        input: { Id: wick("required;key=customer_id") },
        run: ({ params }) => find(customers, ({ id }) => id === params.Id, "customer"),
      },
      update_customer: {
        name: "Change a customer",
        description: "Change the plan or the e-mail of a customer.",
        destructive: true,
        input: { Id: wick("required;key=customer_id"), Plan: wick(), Email: wick() },
        run: ({ params }) => ({ id: params.Id, changed: true }),
      },
    },
  });
}

function defineShop({ orders }: World) {
  return defineConnector({
    ...toSystem("shop", "Orders of the web shop. Amounts are in NOK."),
    operations: {
      list_orders: {
        name: "List orders",
        description: `List orders, oldest first, ${pageSize} a page, without their items.`,
        reads: true,
        input: {
          Customer: wick("key=customer_id"),
          Status: wick("dropdown=paid|shipped|refunded|cancelled"),
          Page: wick.int("default=1"),
        },
        run: ({ params }) =>
          toPage(
            orders
              .filter(
                (order) =>
                  fits(params.Customer, order.customer_id) && fits(params.Status, order.status),
              )
              .map(({ id, customer_id, status, placed_at }) => ({
                id,
                customer_id,
                status,
                placed_at,
              })),
            Number(params.Page),
          ),
      },
      get_order: {
        name: "Get an order",
        description: "Read one order with its items, total and address.",
        reads: true,
        input: { Id: wick.int("required;key=order_id") },
        run: ({ params }) => find(orders, ({ id }) => id === Number(params.Id), "order"),
      },
      refund_order: {
        name: "Refund an order",
        description: "Give the customer the money of an order back.",
        destructive: true,
        input: { Id: wick.int("required;key=order_id"), Reason: wick("required") },
        run: ({ params }) => ({ refund: `R-${params.Id}`, state: "requested" }),
      },
      cancel_order: {
        name: "Cancel an order",
        description: "Cancel an order that is not shipped yet.",
        destructive: true,
        input: { Id: wick.int("required;key=order_id") },
        run: ({ params }) => ({ id: params.Id, status: "cancelled" }),
      },
    },
  });
}

function defineStock({ stock }: World) {
  return defineConnector({
    ...toSystem("stock", "What is on the shelves in Oslo and Gdansk."),
    operations: {
      get_stock: {
        name: "Get the stock of an article",
        description: "Read quantity and minimum of one article in each warehouse.",
        reads: true,
        input: { Sku: wick("required;desc=Number of the article, such as TENT-2P") },
        run: ({ params }) => stock.filter(({ sku }) => sku === params.Sku),
      },
      move_stock: {
        name: "Move stock",
        description: "Move a quantity of an article between warehouses.",
        destructive: true,
        input: {
          Sku: wick("required"),
          From: wick("required"),
          To: wick("required"),
          Quantity: wick.int("required"),
        },
        run: () => ({ moved: true }),
      },
    },
  });
}

function definePeople({ people }: World) {
  return defineConnector({
    ...toSystem("people", "Colleagues with team, office and manager."),
    operations: {
      find_people: {
        name: "Find people",
        description: "Search colleagues by a part of their name.",
        reads: true,
        input: { Name: wick("required") },
        run: ({ params }) =>
          people
            .filter(({ name }) => name.toLowerCase().includes(params.Name.toLowerCase()))
            .map(({ id, name, team }) => ({ id, name, team })),
      },
      get_person: {
        name: "Get a person",
        description: "Read one colleague: e-mail, team, office, manager.",
        reads: true,
        input: { Id: wick("required;key=person_id") },
        run: ({ params }) => find(people, ({ id }) => id === params.Id, "person"),
      },
      list_team: {
        name: "List a team",
        description: "List the members of a team: Web, Mobile, Payments, Platform or Support.",
        reads: true,
        input: { Team: wick("required") },
        run: ({ params }) =>
          people
            .filter(({ team }) => team === params.Team)
            .map(({ id, name, team }) => ({ id, name, team })),
      },
    },
  });
}

function defineCalendar({ events }: World) {
  return defineConnector({
    ...toSystem("calendar", "Meetings of colleagues."),
    operations: {
      list_events: {
        name: "List events",
        description: "List the meetings of a person from a day on, soonest first.",
        reads: true,
        input: {
          Person: wick("required;key=person_id"),
          From: wick("desc=A day, such as 2026-11-20"),
        },
        run: ({ params }) =>
          events
            .filter(
              ({ person_id: id, starts_at: at }) =>
                id === params.Person && at >= (params.From ?? ""),
            )
            .toSorted((first, second) => first.starts_at.localeCompare(second.starts_at)),
      },
      create_event: {
        name: "Create an event",
        description: "Invite a person to a meeting.",
        destructive: true,
        input: {
          Person: wick("required;key=person_id"),
          Title: wick("required"),
          StartsAt: wick("required"),
        },
        run: ({ params }) => ({ created: true, title: params.Title }),
      },
    },
  });
}

function defineStatus({ services, incidents }: World) {
  return defineConnector({
    ...toSystem("status", `State of our services (${serviceNames.join(", ")}) and incidents.`),
    operations: {
      get_service: {
        name: "Get a service",
        description: "Read the state of one service, its repository and who is on call.",
        reads: true,
        input: { Name: wick("required") },
        run: ({ params }) => find(services, ({ name }) => name === params.Name, "service"),
      },
      list_incidents: {
        name: "List incidents",
        description: "List incidents of a service from a day on.",
        reads: true,
        input: { Service: wick("required"), From: wick("desc=A day, such as 2026-11-01") },
        run: ({ params }) =>
          incidents.filter(
            ({ service, started_at: at }) =>
              service === params.Service && at >= (params.From ?? ""),
          ),
      },
      resolve_incident: {
        name: "Resolve an incident",
        description: "Mark an incident as resolved.",
        destructive: true,
        input: { Id: wick("required;key=incident_id") },
        run: ({ params }) => ({ id: params.Id, state: "resolved" }),
      },
    },
  });
}

function defineLogs() {
  return defineConnector({
    ...toSystem("logs_store", `Log lines of the services ${serviceNames.join(", ")}.`),
    operations: {
      count_lines: {
        name: "Count log lines",
        description: "Count the log lines of a service by level on one day.",
        reads: true,
        input: {
          Service: wick("required"),
          Level: wick(`required;dropdown=${levels.join("|")}`),
          Day: wick("required;desc=Such as 2026-11-19"),
        },
        run: ({ params: { Service, Level, Day } }) => ({
          service: Service,
          level: Level,
          day: Day,
          lines: countLogs(Service, Level, Day),
        }),
      },
    },
  });
}

function defineBilling({ invoices }: World) {
  return defineConnector({
    ...toSystem("billing", "Invoices to customers. Amounts are in NOK."),
    operations: {
      list_invoices: {
        name: "List invoices",
        description: "List the invoices of a customer, by status.",
        reads: true,
        input: {
          Customer: wick("required;key=customer_id"),
          Status: wick("dropdown=open|paid|overdue"),
        },
        run: ({ params }) =>
          invoices.filter(
            (invoice) =>
              invoice.customer_id === params.Customer && fits(params.Status, invoice.status),
          ),
      },
      get_invoice: {
        name: "Get an invoice",
        description: "Read one invoice by its number.",
        reads: true,
        input: { Number: wick("required;desc=Such as INV-1001") },
        run: ({ params }) => find(invoices, ({ number }) => number === params.Number, "invoice"),
      },
      send_reminder: {
        name: "Send a reminder",
        description: "Remind a customer of an invoice that is overdue.",
        destructive: true,
        input: { Number: wick("required") },
        run: ({ params }) => ({ number: params.Number, reminder: `M-${params.Number.slice(4)}` }),
      },
    },
  });
}

function toSystem(key: string, description: string) {
  return {
    key,
    name: systemLabels[key] ?? key,
    icon: "plug",
    tier: "builtin" as const,
    description,
    config: {},
  };
}

function fits(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === "" || wanted === value;
}

function find<Item>(items: readonly Item[], isWanted: (item: Item) => boolean, what: string): Item {
  const found = items.find(isWanted);
  if (found === undefined) throw new InvalidInputError([{ path: what, message: "does not exist" }]);
  return found;
}

function toPage<Item>(items: readonly Item[], page: number) {
  const start = (page - 1) * pageSize;
  return { total: items.length, page, items: items.slice(start, start + pageSize) };
}
