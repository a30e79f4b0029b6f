import { Context, Effect, Layer, Option, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { TooManyAttempts, WrongCredentials } from "../../domain/errors.ts"
import type { UserId } from "../../domain/ids.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { makeAttemptLimit } from "../caller/attemptLimit.ts"

const maxWrongPasswordsPerMinute = 10

const isWrong = Schema.is(WrongCredentials)

/** Limits wrong passwords: by address, and by user where it is known whose password is tried. */
export class PasswordAttempts extends Context.Service<
  PasswordAttempts,
  {
    /** Runs the check of a password, which fails with WrongCredentials, unless too many were wrong lately. */
    readonly limit: <A, E, R>(
      request: HttpServerRequest.HttpServerRequest,
      user: Option.Option<UserId>,
      check: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | TooManyAttempts, R>
  }
>()("social-publisher/http/PasswordAttempts") {
  static readonly layer = Layer.sync(PasswordAttempts, () => {
    const byAddress = makeAddressLimit({ perMinute: maxWrongPasswordsPerMinute })
    const byUser = makeAttemptLimit({ perMinute: maxWrongPasswordsPerMinute })

    return PasswordAttempts.of({
      limit: Effect.fnUntraced(function* (request, user, check) {
        const wait = yield* byAddress.wait(request)
        if (Option.isSome(wait)) {
          return yield* new TooManyAttempts({
            message: "Too many wrong passwords came from this address",
            wait: wait.value
          })
        }
        const userWait = Option.isNone(user) ? Option.none() : yield* byUser.wait(() => user.value)
        if (Option.isSome(userWait)) {
          return yield* new TooManyAttempts({
            message: "Too many wrong passwords were tried for this user",
            wait: userWait.value
          })
        }
        // Counted before the check and refunded after it: a check takes time, and many attempts may arrive at once.
        const refund = yield* byAddress.reserve(request)
        const refundUser = Option.isNone(user) ? Effect.void : yield* byUser.reserve(user.value)
        const refundBoth = Effect.andThen(refund, refundUser)
        return yield* check.pipe(
          Effect.tap(() => refundBoth),
          Effect.tapError((error) => (isWrong(error) ? Effect.void : refundBoth))
        )
      })
    })
  })
}
