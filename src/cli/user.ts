import { Effect, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Role } from "../domain/people/role.ts"
import { EmailAddress, NewPassword, newPasswordRule } from "../domain/people/session.ts"
import type { WorkspaceMember } from "../repo/people/members.ts"
import { Repo } from "../repo/Repo.ts"
import { json, readPassword, workspace } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

/** The password is too short, or log-in would not accept it. */
class UnusablePassword extends Schema.TaggedError<UnusablePassword>()("UnusablePassword", { message: Schema.String }) {}

const isNewPassword = Schema.is(NewPassword)

const memberRecord = ({ createdAt, email, role, userId }: WorkspaceMember) => ({
  id: userId,
  email,
  role,
  created_at: createdAt
})

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
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDefault("viewer" as const),
      Flag.withDescription("What the user may do in the workspace: viewer by default, editor or admin")
    ),
    json
  },
  Effect.fn(function* (input) {
    const { users } = yield* Repo
    const { id, email } = yield* users.create(input.workspace, input.email, yield* readNewPassword, input.role)
    yield* printRecord(input.json, { id, email, workspace_id: input.workspace, role: input.role })
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

const role = Command.make(
  "role",
  {
    workspace,
    email: Flag.String("email").pipe(Flag.withSchema(EmailAddress), Flag.withDescription("Email address of the user")),
    role: Argument.Literals("role", Role.literals).pipe(Argument.withDescription("viewer, editor or admin")),
    json
  },
  Effect.fn(function* (input) {
    const { members } = yield* Repo
    const member = yield* members.assign(input.workspace, input.email, input.role)
    yield* printRecord(input.json, memberRecord(member))
  })
).pipe(
  Command.withDescription(
    "Give a user a role in a workspace. They become a member if they are none. The last admin stays"
  )
)

const list = Command.make(
  "list",
  { workspace, json },
  Effect.fn(function* (input) {
    const { members, workspaces } = yield* Repo
    yield* workspaces.check(input.workspace)
    const rows = (yield* members.list(input.workspace)).map(memberRecord)
    yield* printTable(input.json, rows, "There is no member yet")
  })
).pipe(Command.withDescription("List the members of a workspace, in the order in which they joined"))

export const user = Command.make("user").pipe(
  Command.withDescription("Users: people who log in, each with a role in their workspaces"),
  Command.withSubcommands([create, role, list, password])
)
