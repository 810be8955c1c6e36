import { useApi } from "../../api/use-api.ts";
import { type Choice, SearchSelect } from "./search-select.tsx";

const offered = 20;

type Props = { value: string | undefined; onChange: (value: string) => void };

/** Chooses a row by its label. Without a text, the first rows of the connector are offered. */
export function RowFilter({ connector, ...props }: Props & { connector: string | undefined }) {
  const useChoices = (text: string, isOn: boolean) => {
    const query = { limit: offered, ...(connector !== undefined && { connector }) };
    const first = useApi("GET /manager/api/rows", { query }, { isOn: isOn && text === "" });
    const found = useFound(text, isOn);
    const rows = text === "" ? (first.data?.rows ?? []) : (found.data?.rows ?? []);
    const choices = rows
      .filter((row) => connector === undefined || row.connector === connector)
      .map(({ id, label }): Choice => ({ value: id, label }));
    return { choices, isPending: text === "" ? first.isPending : found.isPending };
  };
  const useLabel = (row = "") => {
    const input = { params: { row }, query: { operations: "none" as const } };
    return useApi("GET /manager/api/rows/{row}", input, { isOn: row !== "" }).data?.label;
  };
  return (
    <SearchSelect
      label="Row"
      any="Any row"
      useChoices={useChoices}
      useLabel={useLabel}
      {...props}
    />
  );
}

/** Chooses a user by e-mail or name. For admins. */
export function UserFilter(props: Props) {
  const useChoices = (text: string, isOn: boolean) => {
    const query = { limit: offered };
    const first = useApi("GET /admin/api/users", { query }, { isOn: isOn && text === "" });
    const found = useFound(text, isOn);
    const users = text === "" ? (first.data?.users ?? []) : (found.data?.users ?? []);
    const choices = users.map(({ id, email }): Choice => ({ value: id, label: email }));
    return { choices, isPending: text === "" ? first.isPending : found.isPending };
  };
  const useLabel = (user = "") => {
    const input = { params: { user } };
    return useApi("GET /admin/api/users/{user}", input, { isOn: user !== "" }).data?.email;
  };
  return (
    <SearchSelect
      label="User"
      any="Any user"
      useChoices={useChoices}
      useLabel={useLabel}
      {...props}
    />
  );
}

function useFound(text: string, isOn: boolean) {
  return useApi("GET /manager/api/search", { query: { q: text } }, { isOn: isOn && text !== "" });
}
