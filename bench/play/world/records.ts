/** The data of a company that never changes, so that every task has one right answer. */
export type World = {
  people: Person[];
  issues: Issue[];
  customers: Customer[];
  orders: Order[];
  stock: StockItem[];
  invoices: Invoice[];
  services: Service[];
  incidents: Incident[];
  events: CalendarEvent[];
};

export type Person = {
  id: string;
  name: string;
  email: string;
  team: string;
  office: string;
  manager_id: string | null;
};

export type Issue = {
  id: string;
  project: string;
  title: string;
  state: "open" | "closed";
  labels: string[];
  priority: "low" | "normal" | "high";
  assignee_id: string;
  created_at: string;
  description: string;
};

export type Customer = {
  id: string;
  name: string;
  email: string;
  country: string;
  plan: string;
  account_manager_id: string;
};

export type Order = {
  id: number;
  customer_id: string;
  status: "paid" | "shipped" | "refunded" | "cancelled";
  placed_at: string;
  items: Array<{ sku: string; quantity: number; price: number }>;
  total: number;
  currency: string;
  shipping_address: string;
};

export type StockItem = {
  sku: string;
  warehouse: string;
  quantity: number;
  minimum: number;
  shelf: string;
};

export type Invoice = {
  number: string;
  customer_id: string;
  status: "open" | "paid" | "overdue";
  amount: number;
  due: string;
};

type Service = {
  name: string;
  state: "up" | "degraded" | "down";
  on_call_id: string;
  repository: string;
};

export type Incident = {
  id: string;
  service: string;
  title: string;
  started_at: string;
  resolved_at: string | null;
};

export type CalendarEvent = { person_id: string; title: string; starts_at: string; place: string };
