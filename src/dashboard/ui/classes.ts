/** Joins the names of classes, and leaves out those whose condition does not hold. */
export const classes = (...names: ReadonlyArray<string | false | undefined>): string =>
  names.filter((name) => name !== false && name !== undefined && name !== "").join(" ")
