export const lastTime = "timestamptz '9999-01-01'"

/**
 * Bounds a stored time to the years 1970 to 9999, as SQL. Written by hand, it may be infinite or near the end of
 * PostgreSQL's range, and a calculation with it would fail the statement for all rows.
 */
export const boundedTime = (time: string) => `least(greatest(${time}, 'epoch'), ${lastTime})`
