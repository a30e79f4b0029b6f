import { Context, Effect } from "effect"
import type { Call } from "./call.ts"

/** `waiting` includes calls that ended without a response. */
export interface CallState {
  state: "none" | "waiting" | "answered"
}

/** Each attempt provides its own state, to learn if its host responds. */
export const LastCall = Context.Reference<CallState>("social-publisher/platforms/LastCall", {
  defaultValue: () => ({ state: "none" })
})

export const observed =
  (call: Call): Call =>
  (request) =>
    Effect.contextWith((context: Context.Context<never>) => {
      const last = Context.get(context, LastCall)
      last.state = "waiting"
      return Effect.map(call(request), (response) => {
        last.state = "answered"
        return response
      })
    })
