import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { headerOf, makeSmtpReceiver, password, refusal } from "../mail/smtpReceiver.ts"
import { runCommand } from "../support/process/commands.ts"

const settingsOf = ({ port }: { readonly port: number }) => ({
  SMTP_URL: `smtp://publisher:${encodeURIComponent(password)}@127.0.0.1:${port}`,
  MAIL_FROM: "Social Publisher <posts@publisher.example>"
})

const args = ["mail", "test", "--to", "ada@example.com"]

describe("mail test", () => {
  it.effect("It sends a message and prints the server's answer, without a database", () =>
    Effect.gen(function* () {
      const { received, settings } = yield* makeSmtpReceiver()
      const { code, errors, output } = yield* runCommand([...args, "--json"], settingsOf(settings.server))
      assert.deepStrictEqual([code, errors], [0, ""])
      const printed = JSON.parse(output)
      assert.deepInclude(printed, { sent_to: "ada@example.com", from: "posts@publisher.example" })
      assert.match(printed.answer, /^250 /)
      const mail = yield* Queue.take(received)
      assert.deepStrictEqual(mail.to, ["ada@example.com"])
      assert.strictEqual(headerOf(mail, "Subject"), "Social Publisher: mail works")
      assert.notInclude(output + mail.raw, password)
    })
  )

  it.effect("A refusal is printed in the server's words, and ends with a code other than 0", () =>
    Effect.gen(function* () {
      const { settings } = yield* makeSmtpReceiver({ atRecipient: () => refusal(550, "No such user here") })
      const { code, errors } = yield* runCommand(args, settingsOf(settings.server))
      assert.deepStrictEqual([code, errors], [1, "The mail server answered: 550 No such user here\n"])
    })
  )

  it.effect("Without settings it says which are missing", () =>
    Effect.gen(function* () {
      const { code, errors } = yield* runCommand(args, {})
      assert.deepStrictEqual([code, errors], [1, "Mail is off: set SMTP_URL and MAIL_FROM\n"])
    })
  )
})
