import { type DateTime, Effect, Schema } from "effect"
import type { AgentRequest } from "./AgentRequest.ts"
import { aside } from "./aside.ts"
import type { Call } from "./tool.ts"

/** A sentence of the service itself, never with other people's words. */
export const messageResult = Schema.String.annotateKey({ description: "What to tell the user." })

/** The result of a call that has no second effect if it is repeated. */
export const onceResult = {
  message: messageResult,
  replayed: Schema.Boolean.annotateKey({
    description: "Whether this is the result of an earlier identical call, which had its effect then."
  })
}

export const againSentence = " This is the result of an earlier identical call."

export const isReplayed = ({ outcome }: AgentRequest): boolean => outcome?.headers["idempotent-replayed"] === "true"

export const heldSince = (call: Call) =>
  aside(
    call,
    Effect.map(call.contract.me.get(), ({ data }) => data.publishing.held_since),
    () => null
  )

export const heldSentence = (held: DateTime.Utc | null): string =>
  held === null ? "" : " Publishing is on hold after a restore, so nothing goes out until an administrator resumes it."
