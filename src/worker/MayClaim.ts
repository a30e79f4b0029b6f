import { Context, Effect } from "effect"

/** True if workers may claim. Checked before each claim. */
export const MayClaim = Context.Reference<Effect.Effect<boolean>>("social-publisher/worker/MayClaim", {
  defaultValue: () => Effect.succeed(true)
})
