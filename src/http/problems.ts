import { Effect, Schema } from "effect"
import * as Problem from "../api/problems.ts"
import * as Domain from "../domain/errors.ts"
import { RequestId } from "./RequestId.ts"

interface DomainErrors {
  readonly InvalidRequest: Domain.InvalidRequest
  readonly IntegrationNotConnected: Domain.IntegrationNotConnected
  readonly InvalidState: Domain.InvalidState
  readonly ContentTooLong: Domain.ContentTooLong
  readonly ApprovalRequired: Domain.ApprovalRequired
  readonly NotFound: Domain.NotFound
  readonly IdempotencyInFlight: Domain.IdempotencyInFlight
  readonly IdempotencyMismatch: Domain.IdempotencyMismatch
  readonly DatabaseUnavailable: Domain.DatabaseUnavailable
  readonly PasswordsBusy: Domain.PasswordsBusy
}

interface Problems {
  readonly InvalidRequest: Problem.InvalidRequest
  readonly IntegrationNotConnected: Problem.IntegrationNotConnected
  readonly InvalidState: Problem.InvalidState
  readonly ContentTooLong: Problem.ContentTooLong
  readonly ApprovalRequired: Problem.ApprovalRequired
  readonly NotFound: Problem.NotFound
  readonly IdempotencyInFlight: Problem.IdempotencyInFlight
  readonly IdempotencyMismatch: Problem.IdempotencyMismatch
  readonly DatabaseUnavailable: Problem.Unavailable
  readonly PasswordsBusy: Problem.Unavailable
}

type Tag = keyof DomainErrors

const problems: { readonly [T in Tag]: (error: DomainErrors[T], request_id: string) => Problems[T] } = {
  InvalidRequest: ({ message, errors }, request_id) =>
    new Problem.InvalidRequest({ detail: message, errors, request_id }),
  IntegrationNotConnected: ({ message, platforms }, request_id) =>
    new Problem.IntegrationNotConnected({ detail: message, platforms, request_id }),
  InvalidState: ({ message }, request_id) => new Problem.InvalidState({ detail: message, request_id }),
  ContentTooLong: ({ message, violations }, request_id) =>
    new Problem.ContentTooLong({ detail: message, violations, request_id }),
  ApprovalRequired: ({ message }, request_id) => new Problem.ApprovalRequired({ detail: message, request_id }),
  NotFound: ({ message }, request_id) => new Problem.NotFound({ detail: message, request_id }),
  IdempotencyInFlight: ({ message }, request_id) => new Problem.IdempotencyInFlight({ detail: message, request_id }),
  IdempotencyMismatch: ({ message }, request_id) => new Problem.IdempotencyMismatch({ detail: message, request_id }),
  DatabaseUnavailable: (_error, request_id) =>
    new Problem.Unavailable({ detail: "The database does not answer; try again in a few seconds", request_id }),
  PasswordsBusy: ({ message }, request_id) => new Problem.Unavailable({ detail: message, request_id })
}

const toProblem = <T extends Tag>(error: DomainErrors[T] & { readonly _tag: T }, requestId: string): Problems[T] =>
  problems[error._tag](error, requestId)

const isDatabaseUnavailable = Schema.is(Domain.DatabaseUnavailable)

/** Turns what the domain and the store fail with into the problems that the contract names. */
export const orProblem = <A, T extends Tag, R>(
  effect: Effect.Effect<A, DomainErrors[T] & { readonly _tag: T }, R>
): Effect.Effect<A, Problems[T], R> =>
  effect.pipe(
    // The answer doesn't say what is wrong with the database, so the log has to.
    Effect.tapError((error) =>
      isDatabaseUnavailable(error) ? Effect.logWarning(error.message, error.cause) : Effect.void
    ),
    Effect.catch((error) => Effect.flatMap(RequestId, (requestId) => Effect.fail(toProblem<T>(error, requestId))))
  )
