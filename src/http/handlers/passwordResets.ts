import { Effect, Option, Redacted, Schedule } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/Api.ts"
import { InvalidState, type NotFound, TooManyAttempts } from "../../domain/errors.ts"
import { nextNotificationDeliveryId } from "../../domain/ids.ts"
import { CurrentMailer } from "../../mail/CurrentMailer.ts"
import type { Mailer } from "../../mail/Mailer.ts"
import { passwordMail } from "../../mail/passwordMail.ts"
import { bestEffort } from "../../repo/postgres/databaseErrors.ts"
import { Repo } from "../../repo/Repo.ts"
import { BaseUrl } from "../BaseUrl.ts"
import { makeAddressLimit } from "../caller/addressLimit.ts"
import { failuresWith, makeAttemptLimit } from "../caller/attemptLimit.ts"
import { orProblem } from "../problems.ts"
import { asData } from "./shared.ts"

const maxRequestsPerMinute = 5
const maxUnknownPerMinute = 10

/** About five minutes. Somebody waits for the link, and may ask for another one. */
const repetitions = { schedule: Schedule.exponential("5 seconds"), times: 6 } as const

const noMail = new InvalidState({
  message: "This service sends no mail, so ask an operator to set another password"
})

const unknownOnes = failuresWith("NotFound" satisfies NotFound["_tag"], "Too many unknown links came from this address")

export const passwordResetsLayer = HttpApiBuilder.group(
  Api,
  "passwordResets",
  Effect.fn(function* (handlers) {
    const { passwordResets, users } = yield* Repo
    const mailer = yield* CurrentMailer
    const baseUrl = yield* BaseUrl
    const requests = makeAddressLimit({ perMinute: maxRequestsPerMinute })
    const ofUser = makeAttemptLimit({ perMinute: 1 })
    const unknownTokens = makeAddressLimit({ perMinute: maxUnknownPerMinute })

    const mailLink = Effect.fnUntraced(function* ({ domain, send }: Mailer["Service"], address: string) {
      const email = address.toLowerCase()
      if (Option.isSome(yield* ofUser.wait(() => email))) return
      yield* ofUser.count(email)
      const requested = yield* passwordResets.request(email)
      if (Option.isNone(requested)) return
      const { email: to, token } = requested.value
      const messageId = `password.${yield* nextNotificationDeliveryId}@${domain}`
      yield* send(passwordMail({ messageId, to, url: `${baseUrl}/password#${Redacted.value(token)}` })).pipe(
        Effect.retry({ ...repetitions, while: ({ isFinal }) => !isFinal }),
        Effect.catchTag("MailFailed", ({ message }) =>
          Effect.logWarning(`A link for another password could not be mailed. ${message}`)
        )
      )
    }, bestEffort("A link for another password could not be mailed"))

    const request = Effect.fn("requestPasswordReset")(function* (email: string) {
      const from = yield* HttpServerRequest.HttpServerRequest
      if (Option.isNone(mailer)) return yield* orProblem(noMail)
      const wait = yield* requests.wait(from)
      if (Option.isSome(wait)) {
        const message = "Too many passwords were asked for from this address"
        return yield* orProblem(new TooManyAttempts({ message, wait: wait.value }))
      }
      yield* requests.count(from)
      // In the background, so that the response takes as long for an unknown address.
      yield* Effect.forkDetach(mailLink(mailer.value, email))
      return { accepted: true as const }
    })

    const use = Effect.fn("usePasswordReset")(function* (text: string, password: string) {
      const from = yield* HttpServerRequest.HttpServerRequest
      const token = Redacted.make(text)
      // Checked before the password is hashed, which takes long.
      yield* unknownTokens.run(from, passwordResets.check(token), unknownOnes)
      yield* passwordResets.use(token, yield* users.hashPassword(Redacted.make(password)))
      return { changed: true as const }
    }, orProblem)

    return handlers
      .handle("request", ({ payload }) => asData(request(payload.email)))
      .handle("use", ({ payload }) => asData(use(payload.token, payload.password)))
  })
)
