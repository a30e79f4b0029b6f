const hour = 3_600_000

/**
 * Converts a time that a process counted from its clock's `now`, as src/repo/postgres/databaseClock.ts does. In
 * milliseconds since 1970.
 */
export const onDatabaseClock = (at: number, now: number, databaseNow: number): number => {
  if (at <= now) return Math.min(at, databaseNow)
  return now < databaseNow - hour ? at : at + databaseNow - now
}
