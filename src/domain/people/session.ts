import { Duration, Schema } from "effect"
import { UserId, WorkspaceId } from "../ids.ts"
import { Role } from "./role.ts"
import { minPasswordLength } from "../plain/limits.ts"
import { Text } from "../posts/text/publishableText.ts"

// The limits of credentials, in UTF-16 code units.
export const maxEmailLength = 320
export const maxPasswordLength = 1024

/** What a password that a person chooses has to be, in words. */
export const newPasswordRule = `a password of ${minPasswordLength} to ${maxPasswordLength} characters`

/** A password that a person may choose. Log-in takes any. */
export const NewPassword = Text.check(
  Schema.isBetweenLength(minPasswordLength, maxPasswordLength, { expected: newPasswordRule })
)

export const EmailAddress = Text.check(
  Schema.isPattern(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, {
    expected: "an email address",
    toJsonSchema: () => ({ format: "email" })
  }),
  Schema.isMaxLength(maxEmailLength)
)

/**
 * Of a person who is invited or becomes a user. Letters beyond ASCII, and what shows nothing, can look like another address. Users
 * who have them already are found by `EmailAddress`.
 */
export const NewEmailAddress = EmailAddress.check(
  Schema.isPattern(/^[\x21-\x7e]*$/, {
    expected: "an email address of ASCII characters, with the domain in its xn-- form",
    toJsonSchema: () => ({})
  })
)

/** How long a session lasts after log-in. */
export const sessionLifetime = Duration.days(14)

/** A user, in one of the workspaces that they belong to. */
export const Member = Schema.Struct({ userId: UserId, workspaceId: WorkspaceId })
export type Member = typeof Member.Type

/** The caller that a session cookie identifies. */
export const SessionHolder = Schema.Struct({
  ...Member.fields,
  role: Role,
  /** The SHA-256 of the token, in hexadecimal. */
  session: Schema.String
})
export type SessionHolder = typeof SessionHolder.Type
