/** Before the times that JavaScript can't represent, as SQL. */
export const lastTime = "timestamptz '9999-01-01'"

/**
 * A stored time that others are subtracted from or added to, as SQL: between 1970 and the year 9999. One that somebody wrote by
 * hand may be infinite or near the end of PostgreSQL's range, which would fail the statement for all rows.
 */
export const boundedTime = (time: string) => `least(greatest(${time}, 'epoch'), ${lastTime})`
