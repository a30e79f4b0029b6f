import { Duration, Effect, Option, Struct } from "effect"
import { HttpServerRequest, type HttpServerRespondable } from "effect/http"
import * as Problem from "../api/problems.ts"
import type * as Domain from "../domain/errors.ts"
import type { Issue } from "../domain/errors.ts"
import type * as Shown from "../domain/shownErrors.ts"
import { summarize } from "./issues.ts"
import { RequestId } from "./RequestId.ts"
import { isSafe } from "./isSafe.ts"
import { retryAfter } from "./responseHeaders.ts"

export const fail = <const Members extends { readonly detail: string }, P>(
  problem: new (members: NoInfer<Members> & { readonly request_id: string }) => P,
  members: Members
): Effect.Effect<never, P> =>
  Effect.flatMap(RequestId, (request_id) => Effect.fail(new problem({ ...members, request_id })))

export const failInvalid = (errors: ReadonlyArray<Issue>) =>
  fail(Problem.shown.InvalidRequest, { detail: summarize(errors), errors })

type ProblemClass<P> = new (members: { readonly detail: string; readonly request_id: string }) => P

/** The type-level counterpart of `asShown`. */
interface AsShown extends Struct.Lambda {
  (problem: ProblemClass<HttpServerRespondable.Respondable>): unknown
  readonly "~lambda.out": this["~lambda.in"] extends { readonly Type: infer P extends { readonly _tag: ShownTag } }
    ? (error: InstanceType<(typeof Shown)[P["_tag"]]>) => Effect.Effect<never, P>
    : never
}

type ShownTag = keyof typeof Shown

/** Makes a problem with the error's message as its detail, and with the error's other fields. */
const asShown = Struct.lambda<AsShown>(
  (problem) =>
    ({ message, ...members }: { readonly message: string }) =>
      fail(problem, { ...members, detail: message })
)

const as =
  <P>(problem: ProblemClass<P>) =>
  ({ message }: { readonly message: string }) =>
    fail(problem, { detail: message })

/** The database can have stored a change before it stopped answering, and nothing shows whether it has. */
const explainSilence = (isRepeatable: boolean) =>
  Effect.map(
    Effect.serviceOption(HttpServerRequest.HttpServerRequest),
    Option.match({
      onNone: () => Problem.mayBeStored,
      onSome: (request) => {
        if (isSafe(request)) return "The database did not answer; try again in a few seconds"
        return isRepeatable ? Problem.safeToRepeat : Problem.mayBeStored
      }
    })
  )

/** The API's problem for each domain error, by the error's tag. */
const problems = {
  ...Struct.map(Problem.shown, asShown),

  KeyEnded: as(Problem.Unauthorized),
  MediaQuotaExceeded: as(Problem.MediaQuota),
  MediaTooLarge: as(Problem.PayloadTooLarge),
  NotMember: as(Problem.Unauthorized),
  PasswordsBusy: as(Problem.Unavailable),
  RoleLost: as(Problem.InsufficientRole),
  ScopeRequired: as(Problem.InsufficientScope),
  SessionEnded: as(Problem.Unauthorized),
  TooSlow: as(Problem.RequestTimeout),
  WrongCredentials: as(Problem.Unauthorized),

  ContentTooLong: ({ message, violations }: Domain.ContentTooLong) =>
    fail(Problem.ContentTooLong, { detail: message, violations }),
  DatabaseUnavailable: ({ cause, explanation, isRepeatable = false, message }: Domain.DatabaseUnavailable) =>
    Effect.gen(function* () {
      // The response hides the database's error, so the error is logged.
      yield* Effect.logWarning(message, cause)
      return yield* fail(Problem.Unavailable, { detail: explanation ?? (yield* explainSilence(isRepeatable)) })
    }),
  ListsBusy: ({ message }: Domain.ListsBusy) =>
    Effect.andThen(
      Effect.logWarning("A list was refused, because others had all turns for lists"),
      fail(Problem.Unavailable, { detail: message })
    ),
  MediaClaimLost: (_: Domain.MediaClaimLost) =>
    fail(Problem.Unavailable, { detail: "The upload was given up because the service was away; send it again" }),
  MediaMissing: ({ message }: Domain.MediaMissing) =>
    Effect.andThen(
      Effect.logError(message),
      fail(Problem.shown.NotFound, { detail: "The bytes of this file are lost; upload it again" })
    ),
  MediaStoreFull: ({ message }: Domain.MediaStoreFull) =>
    Effect.andThen(Effect.logError(message), fail(Problem.Unavailable, { detail: message })),
  MediaUnavailable: ({ cause, message }: Domain.MediaUnavailable) =>
    Effect.andThen(
      Effect.logWarning(message, cause),
      fail(Problem.Unavailable, { detail: "The store of media does not answer; try again in a few seconds" })
    ),
  TooManyAttempts: ({ message, wait }: Domain.TooManyAttempts) =>
    Effect.andThen(retryAfter(wait), fail(Problem.RateLimited, { detail: message })),
  TooManyUploads: ({ message }: Domain.TooManyUploads) =>
    Effect.andThen(retryAfter(Duration.seconds(5)), fail(Problem.RateLimited, { detail: message }))
}

type Tag = keyof typeof problems
type DomainErrors = { readonly [T in Tag]: InstanceType<(typeof Domain)[T]> }
type Problems = { readonly [T in Tag]: Effect.Error<ReturnType<(typeof problems)[T]>> }

/** The same table, with a type that pairs each error with its own entry. */
const table: { readonly [T in Tag]: (error: DomainErrors[T]) => Effect.Effect<never, Problems[T]> } = problems

export const orProblem = <A, T extends Tag, R>(
  effect: Effect.Effect<A, DomainErrors[T] & { readonly _tag: T }, R>
): Effect.Effect<A, Problems[T], R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Problems[T]> => table[error._tag](error))
