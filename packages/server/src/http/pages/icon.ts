/** The icon of every page, inlined, so that browsers request no file. */
export const iconUrl =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Ccircle cx='8' cy='8' r='3' fill='%234263eb'/%3E%3Cg fill='none' stroke='%234263eb' stroke-width='1.5'%3E%3Ccircle cx='8' cy='8' r='6.5'/%3E%3C/g%3E%3C/svg%3E";
