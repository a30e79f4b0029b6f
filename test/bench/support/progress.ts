import { Console, Effect } from "effect"

/** Says on standard error what is being done; the results alone go to standard output. */
export const progress = (line: string) =>
  Effect.suspend(() => Console.error(`${new Date().toISOString().slice(11, 19)}  ${line}`))
