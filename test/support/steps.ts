/** Runs a computation in steps to its end. */
export const finishSteps = <A>(steps: Iterator<void, A>): A => {
  while (true) {
    const step = steps.next()
    if (step.done === true) return step.value
  }
}
