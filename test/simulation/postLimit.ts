import { twitterError } from "../../src/platforms/twitter/standIn/responses.ts"
import type { StandInResponse } from "../../src/sandbox/endpoint.ts"
import type { Process } from "./process.ts"
import { minute, second, type World } from "./world.ts"

/**
 * The number of posts that an account can still send, as a process knows it. Valid until `until`, by the process's
 * clock.
 */
interface Told {
  readonly remaining: number
  readonly until: number
}

/** An account's posts in a quarter of an hour. */
interface Window {
  readonly ends: number
  used: number
}

/** X's response times and resets are in whole seconds. */
const slack = 2 * second

/** X's period and a minute. A fault can name a later reset, which the service treats as a mistake. */
const longestWait = 16 * minute

/**
 * Limits the posts of an account on a simulated X in a quarter of an hour, and keeps the limit that each process knows.
 */
export const makePostLimit = (world: World, limit: number) => {
  const windows = new Map<string, Window>()
  const told = new WeakMap<Process, Map<string, Told>>()

  /** People also post on the account by other means, so part of the limit is used. */
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
    /** Executes a request to post unless the limit is reached. The response names the limit. */
    use: (accountId: string, execute: () => StandInResponse): StandInResponse => {
      const window = windowOf(accountId)
      const isReached = window.used >= limit
      if (isReached) world.count("limit reached")
      else window.used += 1
      const response = isReached ? twitterError(429) : execute()
      const headers = {
        ...response.headers,
        "x-rate-limit-limit": String(limit),
        "x-rate-limit-remaining": String(limit - window.used),
        "x-rate-limit-reset": String(Math.ceil(window.ends / second))
      }
      return { ...response, headers }
    },

    onResponse: (process: Process, accountId: string, { headers = {} }: StandInResponse): void => {
      const remaining = headers["x-rate-limit-remaining"]
      if (remaining === undefined) return
      const wait = Number(headers["x-rate-limit-reset"]) * second - Date.parse(headers["date"] ?? "")
      const known = told.get(process) ?? new Map<string, Told>()
      known.set(accountId, {
        remaining: Number(remaining),
        until: process.clock.currentTimeMillisUnsafe() + Math.min(wait, longestWait) - slack
      })
      told.set(process, known)
    },

    /** The remaining posts according to the last response that the process got; undefined without one. */
    toldTo: (process: Process, accountId: string): number | undefined => {
      const known = told.get(process)?.get(accountId)
      return known !== undefined && process.clock.currentTimeMillisUnsafe() < known.until ? known.remaining : undefined
    }
  }
}
