interface Choice {
  readonly taken: number
  readonly of: number
}

/** Chooses one of several values. */
export type Choose = <A>(from: ReadonlyArray<A>) => A

/** Advances to the choices of the next run: the last choice that has more values takes its next value. */
const nextChoices = (choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> | undefined => {
  const at = choices.findLastIndex(({ of, taken }) => taken + 1 < of)
  const last = choices[at]
  return last === undefined ? undefined : [...choices.slice(0, at), { ...last, taken: last.taken + 1 }]
}

/** Runs once for every combination of choices, and returns the number of runs. */
export const everyRun = (run: (choose: Choose) => void): number => {
  let planned: ReadonlyArray<Choice> | undefined = []
  let runs = 0
  while (planned !== undefined) {
    const made: Array<Choice> = []
    const plan = planned
    run((from) => {
      const { taken } = plan[made.length] ?? { taken: 0 }
      made.push({ taken, of: from.length })
      const value = from[taken]
      if (value === undefined) throw new Error("There is nothing to choose from")
      return value
    })
    runs++
    planned = nextChoices(made)
  }
  return runs
}
