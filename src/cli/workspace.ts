import { Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { Repo } from "../repo/Repo.ts"
import { json } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

const create = Command.make(
  "create",
  {
    name: Argument.String("name").pipe(
      Argument.withSchema(Schema.String.check(Schema.isPattern(/\S/, { expected: "a name that is not blank" })))
    ),
    json
  },
  Effect.fn(function* (input) {
    const { workspaces } = yield* Repo
    const { id, name, createdAt } = yield* workspaces.create(input.name)
    yield* printRecord(input.json, { id, name, created_at: createdAt })
  })
).pipe(Command.withDescription("Create a workspace"))

const list = Command.make(
  "list",
  { json },
  Effect.fn(function* (input) {
    const { workspaces } = yield* Repo
    const rows = (yield* workspaces.list).map(({ id, name, createdAt }) => ({ id, name, created_at: createdAt }))
    yield* printTable(input.json, rows, "There is no workspace yet")
  })
).pipe(Command.withDescription("List the workspaces, oldest first"))

export const workspace = Command.make("workspace").pipe(
  Command.withDescription("Workspaces: each has its own accounts, posts and API keys"),
  Command.withSubcommands([create, list])
)
