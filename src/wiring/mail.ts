import { Effect, Layer, Option } from "effect"
import type { Configuration } from "../config.ts"
import { MailDeliverer } from "../mail/MailDeliverer.ts"
import { mailFibers } from "../mail/mailFibers.ts"
import { smtpLayer } from "../mail/smtp.ts"

const announce = ({ mail }: Configuration) =>
  Effect.logInfo(
    Option.match(mail, {
      onNone: () => "Mail is off: to mail notifications to people, set SMTP_URL and MAIL_FROM",
      onSome: ({ from, server }) => `Mail is on: from ${from.address}, by ${server.host}:${server.port}`
    })
  )

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
