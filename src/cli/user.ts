import { Effect, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { EmailAddress, NewPassword, newPasswordRule } from "../domain/session.ts"
import { Repo } from "../repo/Repo.ts"
import { json, readPassword, workspace } from "./input.ts"
import { printRecord } from "./output.ts"

/** The password is too short, or log-in would not accept it. */
class UnusablePassword extends Schema.TaggedError<UnusablePassword>()("UnusablePassword", { message: Schema.String }) {}

const isNewPassword = Schema.is(NewPassword)

const readNewPassword = Effect.filterOrFail(
  readPassword,
  (password) => isNewPassword(Redacted.value(password)),
  () => new UnusablePassword({ message: `Expected ${newPasswordRule} on standard input` })
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
