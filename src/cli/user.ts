import { Effect, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { WorkspaceId } from "../domain/ids.ts"
import { Repo } from "../repo/Repo.ts"
import { json, printRecord } from "./output.ts"
import { passwordFromStandardInput } from "./password.ts"

/** A password that is too easily guessed, or that logging in would not take. */
class UnusablePassword extends Schema.TaggedError<UnusablePassword>()("UnusablePassword", { message: Schema.String }) {}

const shortest = 12
const longest = 1024

const EmailAddress = Schema.String.check(
  Schema.isPattern(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, { expected: "an email address" }),
  Schema.isMaxLength(320)
)

const checkedPassword = Effect.filterOrFail(
  passwordFromStandardInput,
  (password) => {
    const { length } = Redacted.value(password)
    return length >= shortest && length <= longest && !Redacted.value(password).includes("\0")
  },
  () =>
    new UnusablePassword({ message: `Expected a password of ${shortest} to ${longest} characters on standard input` })
)

const create = Command.make(
  "create",
  {
    workspace: Flag.String("workspace").pipe(Flag.withSchema(WorkspaceId), Flag.withDescription("The workspace's id")),
    email: Flag.String("email").pipe(Flag.withSchema(EmailAddress), Flag.withDescription("What the user logs in with")),
    json
  },
  Effect.fn(function* (input) {
    const { users } = yield* Repo
    const { id, email } = yield* users.create(input.workspace, input.email, yield* checkedPassword)
    yield* printRecord(input.json, { id, email, workspace_id: input.workspace })
  })
).pipe(Command.withDescription("Create a user who can log in; the password is read from standard input"))

const password = Command.make(
  "password",
  { email: Flag.String("email").pipe(Flag.withSchema(EmailAddress), Flag.withDescription("Whose password")), json },
  Effect.fn(function* (input) {
    const { users } = yield* Repo
    yield* users.setPassword(input.email, yield* checkedPassword)
    yield* printRecord(input.json, { email: input.email.toLowerCase(), sessions_ended: true })
  })
).pipe(Command.withDescription("Set another password, read from standard input, and end the user's sessions"))

export const user = Command.make("user").pipe(
  Command.withDescription("Users: people who log in to read notifications"),
  Command.withSubcommands([create, password])
)
