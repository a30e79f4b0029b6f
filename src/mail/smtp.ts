import { DateTime, Duration, Effect, Layer, Predicate, Redacted } from "effect"
import type { MailSettings } from "../domain/mail/mailSettings.ts"
import { oneLine } from "../domain/oneLine.ts"
import { redactSecrets } from "../domain/redactSecrets.ts"
import { type Mail, Mailer, MailFailed } from "./Mailer.ts"

/** For each answer of the server. */
const commandTimeout = Duration.seconds(15)

/** For a whole message. Shorter than the lease of a claim. */
const sendTimeout = Duration.seconds(45)

const maxReason = 300

/** The stages at which a refusal is about the address or the message, not about the login or the sender. */
const judgedCommands: ReadonlySet<unknown> = new Set(["RCPT TO", "DATA"])

const shownReason = (text: string): string => oneLine(redactSecrets(text), maxReason)

const reasonOf = (error: unknown): string => {
  if (Predicate.hasProperty(error, "response") && Predicate.isString(error.response)) {
    return `The mail server answered: ${shownReason(error.response)}`
  }
  return `The mail server could not be used: ${shownReason(error instanceof Error ? error.message : String(error))}`
}

const toFailure = (error: unknown): MailFailed =>
  new MailFailed({
    message: reasonOf(error),
    isFinal:
      Predicate.hasProperty(error, "permanent") &&
      error.permanent === true &&
      Predicate.hasProperty(error, "command") &&
      judgedCommands.has(error.command)
  })

const tooSlow = new MailFailed({
  message: `The mail server took more than ${Duration.toSeconds(sendTimeout)} seconds for a message`,
  isFinal: false
})

/** RFC 8058. */
const unsubscribeHeaders = (url: string | undefined): Readonly<Record<string, string>> =>
  url === undefined ? {} : { "List-Unsubscribe": `<${url}>`, "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }

const domainOf = (address: string): string => address.slice(address.lastIndexOf("@") + 1)

/** Loads the package only here, so that a service without mail does not. A connection per message. */
export const smtpLayer = ({ from, server }: MailSettings, timeout: Duration.Duration = commandTimeout) =>
  Layer.effect(
    Mailer,
    Effect.gen(function* () {
      const { createTransport } = yield* Effect.promise(() => import("nodemailer"))
      const millis = Duration.toMillis(timeout)
      const { login } = server
      const transport = createTransport({
        host: server.host,
        port: server.port,
        secure: server.beginsWithTls,
        requireTLS: server.requiresTls && !server.beginsWithTls,
        ...(login !== null && { auth: { user: login.user, pass: Redacted.value(login.password) } }),
        dnsTimeout: millis,
        connectionTimeout: millis,
        greetingTimeout: millis,
        socketTimeout: millis,
        disableFileAccess: true,
        disableUrlAccess: true
      })

      const send = Effect.fn("Mailer.send")(function* ({ html, messageId, subject, text, to, unsubscribeUrl }: Mail) {
        const date = DateTime.toDateUtc(yield* DateTime.now)
        const sent = yield* Effect.tryPromise({
          try: (signal) =>
            transport.sendMail({
              from,
              to: { name: "", address: to },
              subject,
              text,
              html,
              date,
              messageId: `<${messageId}>`,
              headers: { "Auto-Submitted": "auto-generated", ...unsubscribeHeaders(unsubscribeUrl) },
              xMailer: false,
              signal
            }),
          catch: toFailure
        }).pipe(Effect.timeoutOrElse({ duration: sendTimeout, orElse: () => Effect.fail(tooSlow) }))
        return shownReason(sent.response)
      })

      return Mailer.of({ domain: domainOf(from.address), send })
    })
  )
