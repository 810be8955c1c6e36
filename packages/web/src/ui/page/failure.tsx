import { Alert } from "@mantine/core";
import type { ApiError } from "../../api/api-error.ts";

/** Why a change failed, and what to do. Nothing without a failure. */
export function Failure({ of: error }: { of: ApiError | null }) {
  return error === null ? null : (
    <Alert color="red" role="alert">
      {error.message}
    </Alert>
  );
}
