import { Badge } from "../../ui/badges/badge.tsx";
import { DestructiveBadge } from "../../ui/badges/destructive-badge.tsx";

type Props = { destructive: boolean; reads?: boolean | undefined };

/** Whether an operation changes or deletes something, or only reads. Nothing if neither is known. */
export function EffectBadge({ destructive, reads = false }: Props) {
  if (destructive) return <DestructiveBadge />;
  return reads ? <Badge>Only reads</Badge> : null;
}
