import { Link } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";

/** The pages above a row's page: all connections, and the row's connector by its name. */
export function RowCrumbs({ connector }: { connector: string }) {
  return (
    <>
      <Link to="/manager/connectors">Connections</Link>
      <ConnectorLink connector={connector} />
    </>
  );
}

/** A link to a connector. Its name is that of the catalog; of a missing plugin only the key is known. */
export function ConnectorLink({ connector }: { connector: string }) {
  const { name } = useConnector(connector);
  return (
    <Link to="/manager/connectors/$key" params={{ key: connector }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

/** What is shown of a connector. */
export function useConnector(key: string): { key: string; name: string } {
  const { data } = useApi("GET /manager/api/connectors", {});
  const found = data?.connectors.find((one) => one.key === key);
  return { key, name: found?.name ?? key };
}
