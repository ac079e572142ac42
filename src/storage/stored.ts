// What a record of the core becomes as a row.

/** A record as a row: these of its fields are JSON texts, and these are 0 or 1. */
export type Stored<Whole, Json extends keyof Whole, Flags extends keyof Whole = never> = Omit<
  Whole,
  Json | Flags
> &
  Record<Json, string> &
  Record<Flags, number>;
