const hour = 3_600_000

/**
 * A time that a process has counted from `now` of its clock, on the database's clock, as src/repo/postgres/databaseClock.ts writes it.
 * All times are in milliseconds since 1970.
 */
export const onDatabaseClock = (at: number, now: number, databaseNow: number): number => {
  if (at <= now) return Math.min(at, databaseNow)
  return now < databaseNow - hour ? at : at + databaseNow - now
}
