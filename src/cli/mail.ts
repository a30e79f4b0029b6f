import { Effect, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Command, Flag } from "effect/cli"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { configuration } from "../config.ts"
import { EmailAddress } from "../domain/people/session.ts"
import { Mailer } from "../mail/Mailer.ts"
import { smtpLayer } from "../mail/smtp.ts"
import { testMail } from "../mail/testMail.ts"
import { flagOf, json } from "./input.ts"
import { printRecord } from "./output.ts"

class MailIsOff extends Schema.TaggedError<MailIsOff>()("MailIsOff", { message: Schema.String }) {}

const test = Command.make(
  "test",
  {
    to: flagOf("to", EmailAddress).pipe(Flag.withDescription("Address that gets the message")),
    json
  },
  Effect.fn(function* (input) {
    const { baseUrl, mail } = yield* configuration
    if (Option.isNone(mail)) return yield* new MailIsOff({ message: "Mail is off: set SMTP_URL and MAIL_FROM" })
    const { from, server } = mail.value
    const answer = yield* Effect.gen(function* () {
      const { domain, send } = yield* Mailer
      const id = yield* (yield* SecureRandom.SecureRandom).uuidV4()
      return yield* send(testMail({ baseUrl, messageId: `test.${id}@${domain}`, to: input.to }))
    }).pipe(Effect.provide([smtpLayer(mail.value), NodeCrypto.layer]))
    yield* printRecord(input.json, {
      sent_to: input.to,
      from: from.address,
      server: `${server.host}:${server.port}`,
      answer
    })
  })
).pipe(Command.withDescription("Send a test message, and print the mail server's answer"))

export const mail = Command.make("mail").pipe(
  Command.withDescription("Mail: notifications that members get"),
  Command.withSubcommands([test])
)
