import { Duration, Effect } from "effect"
import * as Problem from "../api/problems.ts"
import type * as Domain from "../domain/errors.ts"
import type { Issue } from "../domain/errors.ts"
import { summarize } from "./issues.ts"
import { RequestId } from "./RequestId.ts"
import { retryAfter } from "./responseHeaders.ts"

export const fail = <const Members extends { readonly detail: string }, P>(
  problem: new (members: NoInfer<Members> & { readonly request_id: string }) => P,
  members: Members
): Effect.Effect<never, P> =>
  Effect.flatMap(RequestId, (request_id) => Effect.fail(new problem({ ...members, request_id })))

export const failInvalid = (errors: ReadonlyArray<Issue>) =>
  fail(Problem.InvalidRequest, { detail: summarize(errors), errors })

/** The API's problem for each domain error, by tag. */
const problems = {
  ApprovalRequired: ({ message }: Domain.ApprovalRequired) => fail(Problem.ApprovalRequired, { detail: message }),
  ContentTooLong: ({ message, violations }: Domain.ContentTooLong) =>
    fail(Problem.ContentTooLong, { detail: message, violations }),
  DatabaseUnavailable: ({ cause, message }: Domain.DatabaseUnavailable) =>
    // The response hides the database's error, so log it.
    Effect.andThen(
      Effect.logWarning(message, cause),
      fail(Problem.Unavailable, { detail: "The database does not answer; try again in a few seconds" })
    ),
  IdempotencyInFlight: ({ message }: Domain.IdempotencyInFlight) =>
    fail(Problem.IdempotencyInFlight, { detail: message }),
  IdempotencyMismatch: ({ message }: Domain.IdempotencyMismatch) =>
    fail(Problem.IdempotencyMismatch, { detail: message }),
  IntegrationNotConnected: ({ message, platforms }: Domain.IntegrationNotConnected) =>
    fail(Problem.IntegrationNotConnected, { detail: message, platforms }),
  InvalidRequest: ({ errors, message }: Domain.InvalidRequest) =>
    fail(Problem.InvalidRequest, { detail: message, errors }),
  InvalidState: ({ message }: Domain.InvalidState) => fail(Problem.InvalidState, { detail: message }),
  KeyEnded: ({ message }: Domain.KeyEnded) => fail(Problem.Unauthorized, { detail: message }),
  KeyLimit: ({ message }: Domain.KeyLimit) => fail(Problem.KeyLimit, { detail: message }),
  LoginRequired: ({ message }: Domain.LoginRequired) => fail(Problem.LoginRequired, { detail: message }),
  MemberLimit: ({ message }: Domain.MemberLimit) => fail(Problem.MemberLimit, { detail: message }),
  MediaNotReady: ({ errors, message }: Domain.MediaNotReady) =>
    fail(Problem.MediaNotReady, { detail: message, errors }),
  MediaClaimLost: (_: Domain.MediaClaimLost) =>
    fail(Problem.Unavailable, { detail: "The upload was given up because the service was away; send it again" }),
  MediaMissing: ({ message }: Domain.MediaMissing) =>
    Effect.andThen(
      Effect.logError(message),
      fail(Problem.NotFound, { detail: "The bytes of this file are lost; upload it again" })
    ),
  MediaQuotaExceeded: ({ message }: Domain.MediaQuotaExceeded) => fail(Problem.MediaQuota, { detail: message }),
  MediaStoreFull: ({ message }: Domain.MediaStoreFull) =>
    Effect.andThen(Effect.logError(message), fail(Problem.Unavailable, { detail: message })),
  MediaTooLarge: ({ message }: Domain.MediaTooLarge) => fail(Problem.PayloadTooLarge, { detail: message }),
  MediaUnavailable: ({ cause, message }: Domain.MediaUnavailable) =>
    Effect.andThen(
      Effect.logWarning(message, cause),
      fail(Problem.Unavailable, { detail: "The store of media does not answer; try again in a few seconds" })
    ),
  MediaUnsupported: ({ message }: Domain.MediaUnsupported) => fail(Problem.MediaUnsupported, { detail: message }),
  NotMember: ({ message }: Domain.NotMember) => fail(Problem.Unauthorized, { detail: message }),
  NotOwnDraft: ({ message }: Domain.NotOwnDraft) => fail(Problem.NotOwnDraft, { detail: message }),
  NotOwnMedia: ({ message }: Domain.NotOwnMedia) => fail(Problem.NotOwnMedia, { detail: message }),
  NotFound: ({ message }: Domain.NotFound) => fail(Problem.NotFound, { detail: message }),
  OutcomeOpen: ({ message, platforms }: Domain.OutcomeOpen) =>
    fail(Problem.OutcomeOpen, { detail: message, platforms }),
  PasswordsBusy: ({ message }: Domain.PasswordsBusy) => fail(Problem.Unavailable, { detail: message }),
  PostUnreadable: ({ message }: Domain.PostUnreadable) => fail(Problem.PostUnreadable, { detail: message }),
  PreconditionRequired: ({ message }: Domain.PreconditionRequired) =>
    fail(Problem.PreconditionRequired, { detail: message }),
  RevisionConflict: ({ message }: Domain.RevisionConflict) => fail(Problem.RevisionConflict, { detail: message }),
  RevisionMismatch: ({ message }: Domain.RevisionMismatch) => fail(Problem.RevisionMismatch, { detail: message }),
  RoleLost: ({ message }: Domain.RoleLost) => fail(Problem.InsufficientRole, { detail: message }),
  ScopeRequired: ({ message }: Domain.ScopeRequired) => fail(Problem.InsufficientScope, { detail: message }),
  SessionEnded: ({ message }: Domain.SessionEnded) => fail(Problem.Unauthorized, { detail: message }),
  TimeRequired: ({ message }: Domain.TimeRequired) => fail(Problem.TimeRequired, { detail: message }),
  TooManyAttempts: ({ message, wait }: Domain.TooManyAttempts) =>
    Effect.andThen(retryAfter(wait), fail(Problem.RateLimited, { detail: message })),
  TooManyUploads: ({ message }: Domain.TooManyUploads) =>
    Effect.andThen(retryAfter(Duration.seconds(5)), fail(Problem.RateLimited, { detail: message })),
  TooSlow: ({ message }: Domain.TooSlow) => fail(Problem.RequestTimeout, { detail: message }),
  WebhookLimit: ({ message }: Domain.WebhookLimit) => fail(Problem.WebhookLimit, { detail: message }),
  WrongCredentials: ({ message }: Domain.WrongCredentials) => fail(Problem.Unauthorized, { detail: message })
}

type Tag = keyof typeof problems
type DomainErrors = { readonly [T in Tag]: Parameters<(typeof problems)[T]>[0] }
type Problems = { readonly [T in Tag]: Effect.Error<ReturnType<(typeof problems)[T]>> }

/** The same table, typed so that each error goes with its own entry. */
const table: { readonly [T in Tag]: (error: DomainErrors[T]) => Effect.Effect<never, Problems[T]> } = problems

export const orProblem = <A, T extends Tag, R>(
  effect: Effect.Effect<A, DomainErrors[T] & { readonly _tag: T }, R>
): Effect.Effect<A, Problems[T], R> =>
  Effect.catch(effect, (error): Effect.Effect<never, Problems[T]> => table[error._tag](error))
