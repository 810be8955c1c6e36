const invoices = [
  {
    id: "2026-1147",
    customer: "Northwind Bakery",
    amount: 1240.5,
    currency: "EUR",
    status: "open",
  },
  { id: "2026-1139", customer: "Halden Bikes", amount: 386, currency: "EUR", status: "open" },
  { id: "2026-1121", customer: "Quiet Garden", amount: 92.75, currency: "EUR", status: "overdue" },
];
const issues = [
  { number: 417, title: "Export stops at 10,000 rows", labels: ["bug"], assignee: "mei.tanaka" },
  { number: 415, title: "Add a dark theme to invoices", labels: ["request"], assignee: null },
  { number: 409, title: "Refund mail is sent twice", labels: ["bug", "urgent"], assignee: "priya" },
];
const days = ["Monday", "Tuesday", "Wednesday"];

/** A REST API with invented data, which the rows of the sample hub call. */
export function openSampleApi() {
  return Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(req) {
      const { pathname } = new URL(req.url);
      if (pathname.startsWith("/invoices/")) return Response.json(invoices[0]);
      if (pathname.startsWith("/invoices")) return Response.json({ invoices, next: null });
      if (pathname.startsWith("/issues/")) return Response.json(issues[0]);
      if (pathname.startsWith("/issues")) return Response.json({ total: 3, issues });
      if (pathname.startsWith("/comments")) return Response.json({ id: 9031 }, { status: 201 });
      if (pathname.startsWith("/forecast")) {
        return Response.json(days.map((day, at) => ({ day, high: 11 + at, rain: at === 1 })));
      }
      if (pathname.startsWith("/account")) {
        // It echoes the key, as careless APIs do. The hub masks it.
        const key = req.headers.get("authorization")?.replace("Bearer ", "");
        return Response.json({ name: "Example Ltd", plan: "Business", api_key: key });
      }
      return Response.json({ error: "The database is being restored." }, { status: 503 });
    },
  });
}
