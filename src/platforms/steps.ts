import { type DateTime, type Redacted, Result } from "effect"
import type { HttpClientRequest } from "effect/http"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { PlatformError, UploadsGone } from "../domain/publishing/platformError.ts"
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
  /** Whether the platform made what it keeps from the file, so that its bytes are not the file's. */
  readonly processed: boolean
}

/** A request that has to be answered before the next step is known. */
export interface RequestStep<A, E> {
  readonly _tag: "Request"
  readonly request: HttpClientRequest.HttpClientRequest
  readonly through: Through
  /**
   * Whether others may see something after it. A request that shows a post is sent only under a stored intent. After its answer another
   * one may follow only if the answer proves that nothing is out, or if the platform can't make a second post of it.
   */
  readonly shows: "nothing" | "post"
  readonly next: (answer: Answer, now: DateTime.Utc) => Step<A, E>
}

/**
 * One step of a conversation with a platform. It is data, and `next` is a pure function of what the step came to: no clock, no network and
 * no state. `carryOut` carries the steps out.
 */
export type Step<A, E> =
  | RequestStep<A, E>
  | {
      /** Uploads files again, which shows nothing and may be repeated. Comes to what the platform knows each of them by. */
      readonly _tag: "Files"
      readonly files: ReadonlyArray<SentFile>
      readonly next: (
        references: Result.Result<ReadonlyArray<string>, PlatformError | UploadsGone | DatabaseUnavailable>,
        access: OpenAccess
      ) => Step<A, E>
    }
  | {
      /** Renews the access that the last request was refused with. A renewal that fails ends the conversation. */
      readonly _tag: "Renew"
      readonly next: (access: OpenAccess) => Step<A, E>
    }
  | { readonly _tag: "End"; readonly result: Result.Result<A, E> }

export const end = <A, E>(result: Result.Result<A, E>): Step<A, E> => ({ _tag: "End", result })

export const fail = <E>(error: E): Step<never, E> => end(Result.fail(error))
