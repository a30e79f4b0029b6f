export const lastTime = "timestamptz '9999-01-01'"

/**
 * Bounds a stored time to the years 1970 to 9999. A time that was written by hand may be infinite or near the end of
 * PostgreSQL's range, and would fail a calculation for all rows.
 */
export const boundedTime = (time: string) => `least(greatest(${time}, 'epoch'), ${lastTime})`
