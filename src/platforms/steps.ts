import { type DateTime, type Redacted, Result } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { OutcomeUnknown, type PlatformError, type UploadsGone } from "../domain/publishing/platformError.ts"
import type { Answer } from "./call.ts"

/** `configured` is for the operator's addresses, `guarded` for public addresses that others chose. */
export type Through = "configured" | "guarded"

export interface OpenAccess {
  readonly accountId: string
  readonly username: string
  readonly serviceUrl: string | null
  readonly credentials: Redacted.Redacted
}

export interface SentFile {
  readonly hash: string
  readonly contentType: string
  readonly size: number
  /** True if the platform replaced the file's bytes with its own. */
  readonly processed: boolean
}

/** A part of a stored file. */
export interface FilePart {
  readonly hash: string
  readonly contentType: string
  readonly offset: number
  readonly length: number
}

interface WaitingStep {
  /**
   * True if an earlier request may have published the post (`afterUnknown`). A failure of this step, such as of the
   * database, is then OutcomeUnknown.
   */
  readonly mayBeOut?: boolean
}

export interface RequestStep<A, E> extends WaitingStep {
  readonly _tag: "Request"
  readonly request: HttpClientRequest.HttpClientRequest
  /** The request's body, which is read while it is sent. Absent if `request` has its body. */
  readonly body?: FilePart
  readonly through: Through
  /**
   * `post` if others may see something after the request, which then needs a stored intent. A second such request may
   * follow only if the answer proves that nothing is out, or if the platform can't make a second post.
   */
  readonly shows: "nothing" | "post"
  readonly next: (answer: Answer, now: DateTime.Utc) => Step<A, E>
}

/**
 * Uploads files again, which others can't see and which can be repeated. `next` gets the files' references and the
 * current access. If there is no access, the conversation ends.
 */
export interface FilesStep<A, E> extends WaitingStep {
  readonly _tag: "Files"
  readonly files: ReadonlyArray<SentFile>
  readonly next: (
    references: Result.Result<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable>,
    access: OpenAccess
  ) => Step<A, E>
}

/** Renews refused access. A failure ends the conversation. */
export interface RenewStep<A, E> extends WaitingStep {
  readonly _tag: "Renew"
  readonly next: (access: OpenAccess) => Step<A, E>
}

/** A step as data, for `carryOut`. `next` is pure: no clock, network or state. */
export type Step<A, E> =
  | RequestStep<A, E>
  | FilesStep<A, E>
  | RenewStep<A, E>
  | { readonly _tag: "End"; readonly result: Result.Result<A, E> }

export const end = <A, E>(result: Result.Result<A, E>): Step<A, E> => ({ _tag: "End", result })

export const fail = <E>(error: E): Step<never, E> => end(Result.fail(error))

/**
 * The steps after a request that may have published the post. An error stays if `judges` says that it also applies to
 * that request. Any other error becomes OutcomeUnknown.
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
