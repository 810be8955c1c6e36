/** No row has this id, so tokens that are bound to it open nowhere. */
export const noRowId = "7c1f0f5e-52d4-4b7e-9d5c-000000000000";
