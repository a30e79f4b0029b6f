import { Duration, Schema } from "effect"
import { UserId, WorkspaceId } from "../ids.ts"
import { Role } from "./role.ts"
import { minPasswordLength } from "../plain/limits.ts"
import { Text } from "../posts/text/publishableText.ts"

// In UTF-16 code units.
export const maxEmailLength = 320
export const maxPasswordLength = 1024

export const newPasswordRule = `a password of ${minPasswordLength} to ${maxPasswordLength} characters`

/** A rule for new passwords only; log-in accepts any password. */
export const NewPassword = Text.check(
  Schema.isBetweenLength(minPasswordLength, maxPasswordLength, { expected: newPasswordRule })
)

export const EmailAddress = Text.check(
  Schema.isPattern(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, {
    expected: "an email address, such as name@example.com",
    toJsonSchema: () => ({ format: "email" })
  }),
  Schema.isMaxLength(maxEmailLength)
)

/**
 * For new users. Letters beyond ASCII and invisible characters can make an address look like another. Existing users
 * with such addresses log in by `EmailAddress`.
 */
export const NewEmailAddress = EmailAddress.check(
  Schema.isPattern(/^[\x21-\x7e]*$/, {
    expected: "an email address without accents and other alphabets, with such a domain in its xn-- form",
    toJsonSchema: () => ({})
  })
)

/** Counted from log-in. */
export const sessionLifetime = Duration.days(14)

export const Member = Schema.Struct({ userId: UserId, workspaceId: WorkspaceId })
export type Member = typeof Member.Type

export const SessionHolder = Schema.Struct({
  ...Member.fields,
  role: Role,
  session: Schema.String
})
export type SessionHolder = typeof SessionHolder.Type
