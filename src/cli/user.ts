import { Effect, Option, Redacted, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Role } from "../domain/people/role.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import { EmailAddress, NewEmailAddress, NewPassword, newPasswordRule } from "../domain/people/session.ts"
import type { WorkspaceMember } from "../repo/people/members.ts"
import { Repo } from "../repo/Repo.ts"
import { flagOf, json, readPassword, toggle, workspace } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

class UnusablePassword extends Schema.TaggedError<UnusablePassword>()("UnusablePassword", { message: Schema.String }) {}

/** The command fails, because an existing user may not be the person who should get the role. */
class UserExists extends Schema.TaggedError<UserExists>()("UserExists", { message: Schema.String }) {}

const isNewPassword = Schema.is(NewPassword)

const userEmail = flagOf("email", EmailAddress).pipe(Flag.withDescription("Email address of the user"))

const existing = toggle("existing", "Add the existing user with this address, who is not yet a member of the workspace")

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

/**
 * Fails if the user exists but is not in the workspace, unless `isExpected` is set. Such a user may not own the
 * address: an admin can invite any address and open the link themself.
 */
const checkMembership = Effect.fnUntraced(function* (workspaceId: WorkspaceId, address: string, isExpected: boolean) {
  const { users, workspaces } = yield* Repo
  const found = yield* users.find(address)
  if (Option.isNone(found)) return false
  const { email, workspaceIds } = found.value
  if (isExpected || workspaceIds.includes(workspaceId)) return workspaceIds.includes(workspaceId)
  const names = (yield* workspaces.list)
    .filter(({ id }) => workspaceIds.includes(id))
    .map(({ id, name }) => `${JSON.stringify(name)} (${id})`)
  const places = names.length === 0 ? "no workspace" : names.join(", ")
  return yield* new UserExists({
    message: `There is already a user ${email}, in ${places}. Nothing was changed. If you mean that user, add --existing`
  })
})

const create = Command.make(
  "create",
  {
    workspace,
    email: flagOf("email", NewEmailAddress).pipe(Flag.withDescription("Email address that the user logs in with")),
    role: Flag.Literals("role", Role.literals).pipe(
      Flag.withDefault("viewer" as const),
      Flag.withDescription("What the user may do in the workspace: viewer by default, editor or admin")
    ),
    existing,
    json
  },
  Effect.fn(function* (input) {
    const { members, users } = yield* Repo
    if (yield* checkMembership(input.workspace, input.email, input.existing)) {
      return yield* new UserExists({
        message: `${input.email.toLowerCase()} is already a member of the workspace. Nothing was changed. Use "user role" to give another role`
      })
    }
    const user = input.existing
      ? yield* members.assign(input.workspace, input.email, input.role)
      : yield* users.create(input.workspace, input.email, yield* readNewPassword, input.role)
    const id = "userId" in user ? user.userId : user.id
    yield* printRecord(input.json, { id, email: user.email, workspace_id: input.workspace, role: input.role })
  })
).pipe(
  Command.withDescription(
    "Create a user who can log in. The password is read from standard input, and is not needed with --existing"
  )
)

const password = Command.make(
  "password",
  { email: userEmail, json },
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
    email: userEmail,
    role: Argument.Literals("role", Role.literals).pipe(Argument.withDescription("viewer, editor or admin")),
    existing,
    json
  },
  Effect.fn(function* (input) {
    const { members } = yield* Repo
    yield* checkMembership(input.workspace, input.email, input.existing)
    const member = yield* members.assign(input.workspace, input.email, input.role)
    yield* printRecord(input.json, memberRecord(member))
  })
).pipe(
  Command.withDescription(
    "Give a member of a workspace a role. With --existing, a user who is not a member becomes one. The last admin can't get another role"
  )
)

const list = Command.make(
  "list",
  { workspace, json },
  Effect.fn(function* (input) {
    const { members, workspaces } = yield* Repo
    yield* workspaces.check(input.workspace)
    const rows = (yield* members.list(input.workspace)).map(memberRecord)
    yield* printTable(input.json, rows, "There are no members yet")
  })
).pipe(Command.withDescription("List the members of a workspace, in the order in which they joined"))

export const user = Command.make("user").pipe(
  Command.withDescription("Users: people who log in, each with a role in their workspaces"),
  Command.withSubcommands([create, role, list, password])
)
