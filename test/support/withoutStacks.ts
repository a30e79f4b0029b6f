/**
 * Runs without recording where errors are made, which takes most of the time of code that makes many errors. What fails
 * runs once more, and then the error says where it was made.
 */
export const withoutStacks = <A>(run: () => A): A => {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  try {
    return run()
  } catch (error) {
    Error.stackTraceLimit = limit
    run()
    throw error
  } finally {
    Error.stackTraceLimit = limit
  }
}
