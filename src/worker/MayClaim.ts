import { Context, Effect } from "effect"

/** Whether this process may claim work. Asked before each claim, and kept by whoever knows of a reason why not. */
export const MayClaim = Context.Reference<Effect.Effect<boolean>>("social-publisher/worker/MayClaim", {
  defaultValue: () => Effect.succeed(true)
})
