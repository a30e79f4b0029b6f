interface Choice {
  readonly taken: number
  readonly of: number
}

/** Takes one of some values. */
export type Choose = <A>(from: ReadonlyArray<A>) => A

/** The choices of the next run: the last choice that has more values takes the next one. */
const nextChoices = (choices: ReadonlyArray<Choice>): ReadonlyArray<Choice> | undefined => {
  const at = choices.findLastIndex(({ of, taken }) => taken + 1 < of)
  const last = choices[at]
  return last === undefined ? undefined : [...choices.slice(0, at), { ...last, taken: last.taken + 1 }]
}

/** Runs once for every way in which the choices of a run can fall, and returns how many runs there were. */
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
