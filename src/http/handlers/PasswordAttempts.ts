import { Context, type Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { TooManyAttempts } from "../../domain/errors.ts"
import type { UserId } from "../../domain/ids.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { failuresWith, makeAttemptLimit } from "../caller/attemptLimit.ts"

const maxWrongPasswordsPerMinute = 10

const wrongOnes = (message: string) => failuresWith("WrongCredentials", message)

/** Counts wrong passwords by address, and also by user if the user is known. */
export class PasswordAttempts extends Context.Service<
  PasswordAttempts,
  {
    /**
     * Runs a check of a password, unless too many were wrong recently. A wrong password fails with WrongCredentials.
     */
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
      limit: (request, user, check) =>
        byAddress.run(
          request,
          Option.match(user, {
            onNone: () => check,
            onSome: (id) => byUser.run(id, check, wrongOnes("Too many wrong passwords were tried for this user"))
          }),
          wrongOnes("Too many wrong passwords came from this address")
        )
    })
  })
}
