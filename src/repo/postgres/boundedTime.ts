/** Before the times that JavaScript can't represent, as SQL. */
export const lastTime = "timestamptz '9999-01-01'"

/**
 * A stored time for calculations, as SQL, bounded to the years 1970 to 9999. A time written by hand may be infinite or
 * near the end of PostgreSQL's range, and a calculation with it would fail the statement for all rows.
 */
export const boundedTime = (time: string) => `least(greatest(${time}, 'epoch'), ${lastTime})`
