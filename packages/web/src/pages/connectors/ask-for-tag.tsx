import { useMe } from "../../api/use-me.ts";
import { CopyButton } from "../../ui/controls/copy-button.tsx";

/** Above `AskForTag`. */
export const nothingSharedTitle = "Nothing is shared with you yet";

/** How a user gets to see a connection: whom to ask, for what, and by which account. Stands within a paragraph. */
export function AskForTag() {
  const { user } = useMe();
  return (
    <>
      {
        "Connections are shared by tags. Ask an admin of this hub to give you a tag of the rows that you need, and name the account that you signed in with: "
      }
      <strong>
        <bdi>{user.email}</bdi>
      </strong>{" "}
      <CopyButton text={user.email} what="your e-mail" />
    </>
  );
}
