import { Context, type Effect } from "effect"

/** Something that the process needs before it can serve. `detail` is shown to whoever asks. */
export interface ReadinessCheck {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
}

/** Whether the process can serve. */
export class Readiness extends Context.Service<
  Readiness,
  {
    readonly check: Effect.Effect<ReadonlyArray<ReadinessCheck>>
  }
>()("social-publisher/http/Readiness") {}
