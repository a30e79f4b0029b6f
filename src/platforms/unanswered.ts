import { Effect } from "effect"
import { OutcomeUnknown, Unavailable } from "../domain/platformError.ts"
import type { NoResponse } from "./call.ts"

/** What it means that a post got no answer. */
export const unanswered = ({ maybeSent, message }: NoResponse): OutcomeUnknown | Unavailable =>
  maybeSent ? new OutcomeUnknown({ message }) : new Unavailable({ message })

/** What it means that anything else got none: it can be asked again. */
export const orUnavailable = Effect.mapError(({ message }: NoResponse) => new Unavailable({ message }))
