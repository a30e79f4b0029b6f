import { Context, Effect } from "effect"
import type { Call } from "./call.ts"

/** The state of an effect's last call: `waiting` also if it ended without a response. */
export interface CallState {
  state: "none" | "waiting" | "answered"
}

/** Set by `observed` calls. An attempt provides its own, to learn if its host responds. */
export const LastCall = Context.Reference<CallState>("social-publisher/platforms/LastCall", {
  defaultValue: () => ({ state: "none" })
})

/** Records a call's state in `LastCall`. */
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
