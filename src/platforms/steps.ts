import { type DateTime, type Redacted, Result } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { OutcomeUnknown, type PlatformError, type UploadsGone } from "../domain/publishing/platformError.ts"
import type { Answer } from "./call.ts"

/**
 * The connection of a request: `configured` for addresses that the operator configured, `guarded` for addresses that others chose,
 * which have to be public.
 */
export type Through = "configured" | "guarded"

/** An account with the credentials that its next request carries. */
export interface OpenAccess {
  readonly accountId: string
  readonly username: string
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

/** A file of a prepared post that the platform got before. */
export interface SentFile {
  /** The file's address in the store. */
  readonly hash: string
  readonly contentType: string
  readonly size: number
  /** True if the platform made what it keeps from the file. Its bytes are then other ones than the file's. */
  readonly processed: boolean
}

/** A step that something is waited for. */
interface WaitingStep {
  /**
   * True if an earlier request of the conversation may have shown the post (`afterUnknown`). A failure here, such as of the database,
   * then ends the conversation with OutcomeUnknown.
   */
  readonly mayBeOut?: boolean
}

/** A request that has to be answered before the next step is known. */
export interface RequestStep<A, E> extends WaitingStep {
  readonly _tag: "Request"
  readonly request: HttpClientRequest.HttpClientRequest
  readonly through: Through
  /**
   * Says if others may see something after it. A request that shows a post is sent only under a stored intent. After its answer another
   * one may follow only if the answer proves that nothing is out, or if the platform can't make a second post of it.
   */
  readonly shows: "nothing" | "post"
  readonly next: (answer: Answer, now: DateTime.Utc) => Step<A, E>
}

/**
 * Uploads files again, which shows nothing and may be repeated. Comes to what the platform knows each of them by, and to the access that
 * the account has afterward: one that can't be read ends the conversation.
 */
export interface FilesStep<A, E> extends WaitingStep {
  readonly _tag: "Files"
  readonly files: ReadonlyArray<SentFile>
  readonly next: (
    references: Result.Result<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable>,
    access: OpenAccess
  ) => Step<A, E>
}

/** Renews the access that the last request was refused with. A renewal that fails ends the conversation. */
export interface RenewStep<A, E> extends WaitingStep {
  readonly _tag: "Renew"
  readonly next: (access: OpenAccess) => Step<A, E>
}

/**
 * One step of a conversation with a platform. It is data, and `next` is a pure function of what the step came to: no clock, no network and
 * no state. `carryOut` carries the steps out.
 */
export type Step<A, E> =
  | RequestStep<A, E>
  | FilesStep<A, E>
  | RenewStep<A, E>
  | { readonly _tag: "End"; readonly result: Result.Result<A, E> }

export const end = <A, E>(result: Result.Result<A, E>): Step<A, E> => ({ _tag: "End", result })

export const fail = <E>(error: E): Step<never, E> => end(Result.fail(error))

/**
 * The same conversation after a request that may have shown the post. An error that `judges` stays as it is, as it says the same of
 * that request; any other one becomes OutcomeUnknown.
 */
export const afterUnknown = <A, E extends { readonly message: string }>(
  step: Step<A, E>,
  judges: (error: E) => boolean
): Step<A, E | OutcomeUnknown> => {
  switch (step._tag) {
    case "End":
      return Result.isSuccess(step.result) || judges(step.result.failure)
        ? step
        : fail(new OutcomeUnknown({ message: step.result.failure.message }))
    case "Request":
      return {
        ...step,
        mayBeOut: true,
        next: (answer: Answer, now: DateTime.Utc) => afterUnknown(step.next(answer, now), judges)
      }
    case "Renew":
      return { ...step, mayBeOut: true, next: (access: OpenAccess) => afterUnknown(step.next(access), judges) }
    case "Files":
      return {
        ...step,
        mayBeOut: true,
        next: (...came: Parameters<FilesStep<A, E>["next"]>) => afterUnknown(step.next(...came), judges)
      }
  }
}
