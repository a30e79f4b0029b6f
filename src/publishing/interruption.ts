import { Cause, Data, Effect } from "effect"

export type Interrupted = Data.TaggedEnum<{
  /** A request was in flight, so the post might be out. */
  CutOff: {}
  /** No request was sent: the claim can be released. */
  Released: {}
}>
export const { CutOff, Released } = Data.taggedEnum<Interrupted>()

export const interruptibleAs =
  (outcome: Interrupted) =>
  <A, E, R>(step: Effect.Effect<A, E, R>): Effect.Effect<A, E | Interrupted, R> =>
    Effect.catchCauseIf(Effect.interruptible(step), Cause.hasInterrupts, () => Effect.fail(outcome))

/** For steps that send nothing. */
export const releasedIfInterrupted = interruptibleAs(Released())
