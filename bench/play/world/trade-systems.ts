// What the company sells: customers, orders, stock, invoices.
import { defineConnector, wick } from "@hub/connector";
import type { World } from "./records.ts";
import { findBy, fits, pageSize, toPage, toRead, toSystem, toWrite } from "./system-parts.ts";

export function defineCrm({ customers }: World) {
  return defineConnector({
    ...toSystem("crm", "Companies that buy from us, with their plan and account manager."),
    operations: {
      find_customers: {
        ...toRead("Find customers", "Search customers by a part of their name or by country."),
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
        ...toRead("Get a customer", "Read one customer: e-mail, plan, country, account manager."),
        input: { Id: wick("required;key=customer_id") },
        run: ({ params }) => findBy(customers, "id", params.Id, "customer"),
      },
      update_customer: {
        ...toWrite("Change a customer", "Change the plan or the e-mail of a customer."),
        input: { Id: wick("required;key=customer_id"), Plan: wick(), Email: wick() },
        run: ({ params }) => ({ id: params.Id, changed: true }),
      },
    },
  });
}

export function defineShop({ orders }: World) {
  return defineConnector({
    ...toSystem("shop", "Orders of the web shop. Amounts are in NOK."),
    operations: {
      list_orders: {
        ...toRead(
          "List orders",
          `List orders, oldest first, ${pageSize} a page, without their items.`,
        ),
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
        ...toRead("Get an order", "Read one order with its items, total and address."),
        input: { Id: wick.int("required;key=order_id") },
        run: ({ params }) => findBy(orders, "id", Number(params.Id), "order"),
      },
      refund_order: {
        ...toWrite("Refund an order", "Give the customer the money of an order back."),
        input: { Id: wick.int("required;key=order_id"), Reason: wick("required") },
        run: ({ params }) => ({ refund: `R-${params.Id}`, state: "requested" }),
      },
      cancel_order: {
        ...toWrite("Cancel an order", "Cancel an order that is not shipped yet."),
        input: { Id: wick.int("required;key=order_id") },
        run: ({ params }) => ({ id: params.Id, status: "cancelled" }),
      },
    },
  });
}

export function defineStock({ stock }: World) {
  return defineConnector({
    ...toSystem("stock", "What is on the shelves in Oslo and Gdansk."),
    operations: {
      get_stock: {
        ...toRead(
          "Get the stock of an article",
          "Read quantity and minimum of one article in each warehouse.",
        ),
        input: { Sku: wick("required;desc=Number of the article, such as TENT-2P") },
        run: ({ params }) => stock.filter(({ sku }) => sku === params.Sku),
      },
      move_stock: {
        ...toWrite("Move stock", "Move a quantity of an article between warehouses."),
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

export function defineBilling({ invoices }: World) {
  return defineConnector({
    ...toSystem("billing", "Invoices to customers. Amounts are in NOK."),
    operations: {
      list_invoices: {
        ...toRead("List invoices", "List the invoices of a customer, by status."),
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
        ...toRead("Get an invoice", "Read one invoice by its number."),
        input: { Number: wick("required;desc=Such as INV-1001") },
        run: ({ params }) => findBy(invoices, "number", params.Number, "invoice"),
      },
      send_reminder: {
        ...toWrite("Send a reminder", "Remind a customer of an invoice that is overdue."),
        input: { Number: wick("required") },
        run: ({ params }) => ({ number: params.Number, reminder: `M-${params.Number.slice(4)}` }),
      },
    },
  });
}
