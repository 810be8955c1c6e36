const address = {
  name: "Ada Byron",
  street: "12 St James's Square",
  city: "London",
  zip: "SW1Y 4JH",
};
const stock: Readonly<Record<string, number>> = {
  "chair-oak": 12,
  "lamp-brass": 0,
  "desk-elm": 3,
  "rug-blue": 0,
};
const orders = [
  { id: "1041", status: "open", items: ["chair-oak", "lamp-brass"], total: 21900 },
  { id: "1057", status: "open", items: ["desk-elm"], total: 48000 },
  { id: "1063", status: "open", items: ["rug-blue"], total: 15500 },
];

/** Answers as the shop of the guide for makers of clients. */
export function answerAsShop(request: Request): Response {
  const { pathname } = new URL(request.url);
  const [, of, id = ""] = pathname.split("/");
  if (of === "openapi.json") return Response.json(document);
  if (of === "stock" && id in stock) return Response.json({ item: id, in_stock: stock[id] });
  if (of === "orders" && id === "") {
    return Response.json(
      orders.map(({ id: order, status, total }) => ({ id: order, status, total })),
    );
  }
  const order = orders.find((one) => one.id === id);
  if (of !== "orders" || order === undefined) return new Response("{}", { status: 404 });
  const ship = { carrier: "parcel", address, billing: address, notes: "Ring twice." };
  return Response.json({ ...order, customer: "ada", ship, history: ["placed", "paid", "packed"] });
}

const toInput = (where: string, name: string) => ({
  name,
  in: where,
  required: true,
  schema: { type: "string" },
});

/** A read of one address. */
function toRead(operationId: string, summary: string, input: object) {
  return { get: { operationId, summary, parameters: [input], responses: {} } };
}

const document = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  paths: {
    "/orders": toRead("listOrders", "List the orders of a customer", toInput("query", "customer")),
    "/orders/{id}": {
      ...toRead("getOrder", "Show an order", toInput("path", "id")),
      delete: {
        operationId: "cancelOrder",
        summary: "Cancel an order",
        parameters: [toInput("path", "id")],
        responses: {},
      },
    },
    "/stock/{item}": toRead(
      "getStock",
      "Show how many of an item are in stock",
      toInput("path", "item"),
    ),
  },
};
