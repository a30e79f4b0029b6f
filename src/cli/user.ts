import { Effect, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { maxEmailLength, maxPasswordLength } from "../domain/session.ts"
import { Repo } from "../repo/Repo.ts"
import { json, readPassword, workspace } from "./input.ts"
import { printRecord } from "./output.ts"

/** The password is too short, or log-in would not accept it. */
class UnusablePassword extends Schema.TaggedError<UnusablePassword>()("UnusablePassword", { message: Schema.String }) {}

/** In UTF-16 code units. */
const minPasswordLength = 12

const EmailAddress = Schema.String.check(
  Schema.isPattern(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { expected: "an email address" }),
  Schema.isMaxLength(maxEmailLength)
)

const readNewPassword = Effect.filterOrFail(
  readPassword,
  (password) => {
    const { length } = Redacted.value(password)
    return length >= minPasswordLength && length <= maxPasswordLength && !Redacted.value(password).includes("\0")
  },
  () =>
    new UnusablePassword({
      message: `Expected a password of ${minPasswordLength} to ${maxPasswordLength} characters on standard input`
    })
)

const create = Command.make(
  "create",
  {
    workspace,
    email: Flag.String("email").pipe(
      Flag.withSchema(EmailAddress),
      Flag.withDescription("Email address that the user logs in with")
    ),
    json
  },
  Effect.fn(function* (input) {
    const { users } = yield* Repo
    const { id, email } = yield* users.create(input.workspace, input.email, yield* readNewPassword)
    yield* printRecord(input.json, { id, email, workspace_id: input.workspace })
  })
).pipe(Command.withDescription("Create a user who can log in. The password is read from standard input"))

const password = Command.make(
  "password",
  {
    email: Flag.String("email").pipe(Flag.withSchema(EmailAddress), Flag.withDescription("Email address of the user")),
    json
  },
  Effect.fn(function* (input) {
    const { users } = yield* Repo
    yield* users.setPassword(input.email, yield* readNewPassword)
    yield* printRecord(input.json, { email: input.email.toLowerCase(), sessions_ended: true })
  })
).pipe(Command.withDescription("Change a user's password, which is read from standard input, and end their sessions"))

export const user = Command.make("user").pipe(
  Command.withDescription("Users: people who log in to read notifications"),
  Command.withSubcommands([create, password])
)
