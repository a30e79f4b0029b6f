import { Console, Effect } from "effect"

/** Prints the progress to standard error. Standard output contains only the results. */
export const progress = (line: string) =>
  Effect.suspend(() => Console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`))
