import { Context, Option } from "effect"
import type { Mailer } from "./Mailer.ts"

/** For messages that somebody waits for. None if the service sends no mail. */
export const CurrentMailer = Context.Reference<Option.Option<Mailer["Service"]>>(
  "social-publisher/mail/CurrentMailer",
  {
    defaultValue: Option.none
  }
)
