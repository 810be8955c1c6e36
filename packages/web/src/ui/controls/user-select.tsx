import { useApi } from "../../api/use-api.ts";
import {
  type SearchOption,
  SearchSelect,
  type SearchSelectLook,
  useSelectSearch,
} from "./search-select.tsx";

const offered = 20;

type Props = Partial<SearchSelectLook> & {
  /** The id of the chosen user; null for none. */
  value: string | null;
  onChange: (user: string | null) => void;
  /** Offered before the others, such as "Mine". */
  first?: readonly SearchOption[];
  /** Only users without this tag. */
  withoutTag?: string;
};

/**
 * Chooses a user, for pages of admins. The server searches, once the field has the focus. One request reads
 * the e-mail of the chosen user.
 */
export function UserSelect(props: Props) {
  const { value, onChange, any, label = "User", first = [], withoutTag, ...look } = props;
  const known = first.find((one) => one.value === value);
  const isRead = value !== null && known === undefined;
  const chosen = useApi(
    "GET /admin/api/users/{user}",
    { params: { user: value ?? "" } },
    { isOn: isRead },
  );
  // A deleted user keeps the beginning of the id. The actor of the command line is no user.
  const waiting = chosen.isPending && isRead ? "…" : value?.slice(0, 12);
  const chosenLabel = known?.label ?? chosen.data?.email ?? waiting ?? "";
  const search = useSelectSearch(value === null ? (any ?? "") : chosenLabel);
  const found = useApi(
    "GET /admin/api/users",
    {
      query: {
        limit: offered,
        ...(search.asked !== "" && { q: search.asked }),
        ...(withoutTag !== undefined && { without_tag: withoutTag }),
      },
    },
    { isOn: search.isUsed, keepsLast: true },
  );
  return (
    <SearchSelect
      {...look}
      label={label}
      any={any}
      search={search}
      chosen={value === null ? null : { value, label: chosenLabel }}
      onChange={onChange}
      first={first}
      found={(found.data?.users ?? []).map(({ id, email, name }) => ({
        value: id,
        label: email,
        ...(name !== "" && { note: name }),
      }))}
      rest={found.data?.next == null ? null : "More users: type to search"}
      nothing={found.error?.message ?? (found.isPending ? "Searching…" : "No user matches")}
    />
  );
}
