/** The fixed id of the hub itself in the records of its own calls. No user has it. */
export const hubCallerId = "00000000-0000-4000-8000-00000000ad11";
