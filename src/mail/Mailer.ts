import { Context, type Effect, Schema } from "effect"

export interface Mail {
  /** Without angle brackets. The same for each attempt, so that mail programs show a repeated message once. */
  readonly messageId: string
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html: string
  /** Turns off this type of mail. */
  readonly unsubscribeUrl?: string
}

/** `message` explains the failure to people, and contains no credentials. */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  message: Schema.String,
  /** True if the server refused the address or the message for good. */
  isFinal: Schema.Boolean
}) {}

export class Mailer extends Context.Service<
  Mailer,
  {
    /** The domain of the sender's address, for Message-IDs. */
    readonly domain: string
    /** Returns the server's answer. After an interruption or a lost connection, the message may have been sent. */
    readonly send: (mail: Mail) => Effect.Effect<string, MailFailed>
  }
>()("social-publisher/mail/Mailer") {}
