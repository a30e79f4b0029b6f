import { Context, Effect } from "effect"
import type { Call } from "./call.ts"

/** What became of the last call that an effect made: `waiting` also if it ended without a response. */
export interface CallState {
  state: "none" | "waiting" | "answered"
}

/** The state that the last `observed` call has left. An attempt provides its own, to learn whether its host responds. */
export const LastCall = Context.Reference<CallState>("social-publisher/platforms/LastCall", {
  defaultValue: () => ({ state: "none" })
})

/** Makes a call whose state can be read from `LastCall`. */
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
