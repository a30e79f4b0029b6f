/** Runs without recording where errors are made. This takes most of the time of code that makes many of them. */
export const withoutStacks = <A>(run: () => A): A => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return run()
  } finally {
    Error.stackTraceLimit = limit
  }
}
