import { startTelegram } from "../../support/telegram-emulator/start-telegram.ts";
import { callApi } from "./fill-admin-pages.ts";

const document = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  paths: {
    "/customers/{id}": {
      get: {
        operationId: "getCustomer",
        summary: "Read a customer",
        parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
      },
    },
    "/parcels/{order}": {
      get: {
        operationId: "getParcel",
        summary: "Read the parcel of an order",
        parameters: [{ name: "order", in: "path", required: true, schema: { type: "integer" } }],
      },
    },
  },
};

export type RefundShop = AsyncDisposable & {
  telegram: ReturnType<typeof startTelegram>;
  /** Where the API answers and has its document. */
  url: string;
  /** Adds the rows of the shop and of the chat that a workflow needs, and returns the id of the first and of the chat. */
  addRows(base: string, token: string): Promise<{ shop: string; chat: string }>;
  /** The texts that the chat got. */
  listMessages(): string[];
};

/** A shop with an API of customers and parcels, and a chat in which it is told what was decided. */
export function startRefundShop(): RefundShop {
  const owned = new AsyncDisposableStack();
  const telegram = owned.use(startTelegram());
  const bot = telegram.addBot();
  const chat = telegram.privateChat(bot, telegram.addUser({ first_name: "Ada" }));
  const api = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(req) {
      const [, noun, id = ""] = new URL(req.url).pathname.split("/");
      if (noun === "openapi.json") return Response.json(document);
      if (noun === "customers") return Response.json({ id, name: "Nordlicht GmbH", since: 2019 });
      return Response.json({ order: Number(id), state: "returned", weight_g: 740 });
    },
  });
  owned.defer(() => api.stop(true));
  const url = `http://127.0.0.1:${api.port}`;
  return {
    telegram,
    url,
    async addRows(base, token) {
      const call = <T>(route: string, body?: unknown) => callApi<T>(base, token, route, body);
      const add = async (connector: string, label: string, values: object) => {
        const row = { connector, label, values, tags: ["everyone"] };
        return (await call<{ id: string }>("POST /manager/api/rows", row)).id;
      };
      const shop = await add("openapi", "Shop", {
        document_url: `${url}/openapi.json`,
        base_url: url,
      });
      const { stamp } = await call<{ stamp: string }>(
        `POST /manager/api/rows/${shop}/discover`,
        {},
      );
      await call(`POST /manager/api/rows/${shop}/approve`, { stamp });
      await add("telegram", "Refunds", { token: bot.token, base_url: telegram.url });
      await telegram.until(() => bot.isPolling);
      return { shop, chat: String(chat.id) };
    },
    listMessages: () => [...chat.messages.values()].map(({ text = "" }) => text),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
