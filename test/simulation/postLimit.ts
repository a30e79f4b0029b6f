import type { ServerResponse } from "./network.ts"
import type { Process } from "./process.ts"
import { minute, second, type World } from "./world.ts"

/** What a process was told of how many posts an account may still send, until a time by its own clock. */
interface Told {
  readonly remaining: number
  readonly until: number
}

/** What of an account's posts in a quarter of an hour counts. */
interface Window {
  readonly ends: number
  used: number
}

/** The time of a response by X's clock is in whole seconds, and so is that of the reset. */
const slack = 2 * second

/** How many posts a simulated X takes of an account in a quarter of an hour, and what each process was told of that. */
export const makePostLimit = (world: World, limit: number) => {
  const windows = new Map<string, Window>()
  const told = new WeakMap<Process, Map<string, Told>>()

  /** People post on the account as well, on other ways. */
  const windowOf = (accountId: string): Window => {
    const open = windows.get(accountId)
    const window =
      open === undefined || world.now() >= open.ends
        ? { ends: world.now() + 15 * minute, used: world.threads.between(0, limit - 1) }
        : open
    windows.set(accountId, window)
    return window
  }

  return {
    /** Carries out a request to post unless the limit is reached, and names the limit in the response. */
    use: (accountId: string, execute: () => ServerResponse): ServerResponse => {
      const window = windowOf(accountId)
      const isReached = window.used >= limit
      if (isReached) world.count("limit reached")
      else window.used += 1
      const response = isReached
        ? { status: 429, body: { title: "Too Many Requests", type: "about:blank" } }
        : execute()
      const headers = {
        ...response.headers,
        date: new Date(world.now()).toUTCString(),
        "x-rate-limit-limit": String(limit),
        "x-rate-limit-remaining": String(limit - window.used),
        "x-rate-limit-reset": String(Math.ceil(window.ends / second))
      }
      return { ...response, headers }
    },

    /** A process receives a response to an account. */
    onResponse: (process: Process, accountId: string, { headers = {} }: ServerResponse): void => {
      const remaining = headers["x-rate-limit-remaining"]
      if (remaining === undefined) return
      const wait = Number(headers["x-rate-limit-reset"]) * second - Date.parse(headers["date"] ?? "")
      const known = told.get(process) ?? new Map<string, Told>()
      known.set(accountId, {
        remaining: Number(remaining),
        until: process.clock.currentTimeMillisUnsafe() + wait - slack
      })
      told.set(process, known)
    },

    /** How many posts an account may still send, as far as a process was told; undefined where it knows nothing. */
    toldTo: (process: Process, accountId: string): number | undefined => {
      const known = told.get(process)?.get(accountId)
      return known !== undefined && process.clock.currentTimeMillisUnsafe() < known.until ? known.remaining : undefined
    }
  }
}
