import { Button } from "@mantine/core";
import { asApiError } from "../../../api/api-error.ts";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { PageError } from "../../../ui/page/page-error.tsx";
import { Waiting } from "../../../ui/page/waiting.tsx";
import { TimeAgo } from "../../../ui/text/time-ago.tsx";
import { Words } from "../../../workflow-parts/words.tsx";
import styles from "../connectors.module.css";
import { CardsSkeleton } from "./cards-skeleton.tsx";
import type { useCatalog } from "./use-catalog.ts";

type Props = { catalog: ReturnType<typeof useCatalog>["catalog"]; isAdmin: boolean };

/** A catalog that is not there, could not be loaded, or not lately. */
export function CatalogState({ catalog, isAdmin }: Props) {
  if (catalog.error !== null && catalog.data === undefined) {
    const onRetry = () => void catalog.refetch();
    return <PageError what="The catalog" error={asApiError(catalog.error)} onRetry={onRetry} />;
  }
  if (catalog.data === undefined) {
    return (
      <Waiting what="The catalog">
        <CardsSkeleton cards={3} />
      </Waiting>
    );
  }
  const { stale_since: since, no_catalog: absence } = catalog.data;
  if (absence !== null) {
    return (
      <EmptyState icon="download" title="No catalog yet">
        <Words text={isAdmin ? absence : "An admin can add a catalog, from which plugins come."} />
      </EmptyState>
    );
  }
  if (since === null) return null;
  return (
    <div className={styles.notice} role="status">
      <p>
        The catalog cannot be loaded now. You see it as it was <TimeAgo at={since} />.
      </p>
      <Button
        size="xs"
        variant="default"
        loading={catalog.isFetching}
        onClick={() => void catalog.refetch()}
      >
        Retry
      </Button>
    </div>
  );
}
