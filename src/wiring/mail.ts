import { Effect, Layer, Option } from "effect"
import type { Configuration } from "../config.ts"
import { CurrentMailer } from "../mail/CurrentMailer.ts"
import { MailDeliverer } from "../mail/MailDeliverer.ts"
import { mailFibers } from "../mail/mailFibers.ts"
import { Mailer } from "../mail/Mailer.ts"
import { smtpLayer } from "../mail/smtp.ts"

const announce = ({ mail }: Configuration) =>
  Effect.logInfo(
    Option.match(mail, {
      onNone: () => "Mail is off: to mail notifications to people, set SMTP_URL and MAIL_FROM",
      onSome: ({ from, server }) => `Mail is on: from ${from.address}, by ${server.host}:${server.port}`
    })
  )

/** For requests that send mail. */
export const currentMailerLayer = (config: Configuration) =>
  Option.match(config.mail, {
    onNone: () => Layer.empty,
    onSome: (settings) => Layer.effect(CurrentMailer, Effect.asSome(Mailer)).pipe(Layer.provide(smtpLayer(settings)))
  })

/** Sends what members want to get by mail. Does nothing if mail is off. */
export const mailLayer = (config: Configuration) =>
  Layer.merge(
    Layer.effectDiscard(announce(config)),
    Option.match(config.mail, {
      onNone: () => Layer.empty,
      onSome: (settings) =>
        mailFibers.pipe(Layer.provide(MailDeliverer.layer(config)), Layer.provide(smtpLayer(settings)))
    })
  )
