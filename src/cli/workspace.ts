import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { Name } from "../domain/name.ts"
import { Repo } from "../repo/Repo.ts"
import { argumentOf, json, workspace as workspaceFlag } from "./input.ts"
import { languageName, readLanguage } from "./language.ts"
import { printRecord, printTable } from "./output.ts"

const create = Command.make(
  "create",
  {
    name: argumentOf("name", Name),
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
    yield* printTable(input.json, rows, "There are no workspaces yet")
  })
).pipe(Command.withDescription("List the workspaces, oldest first"))

const none = "none"

const language = Command.make(
  "language",
  {
    workspace: workspaceFlag,
    tag: Argument.String("tag").pipe(Argument.withDescription(`Such as en, pt-BR or yue; "${none}" says no language`)),
    json
  },
  Effect.fn(function* (input) {
    const { workspaces } = yield* Repo
    const tag = input.tag === none ? null : yield* readLanguage(input.tag)
    yield* workspaces.setLanguage(input.workspace, tag)
    yield* printRecord(input.json, {
      id: input.workspace,
      language: tag,
      name: tag === null ? null : languageName(tag)
    })
  })
).pipe(Command.withDescription("Set the language of a workspace's posts on Bluesky"))

const clearExamples = <E extends { readonly message: string }, R>(clear: Effect.Effect<number, E, R>) =>
  Command.make(
    "clear-examples",
    { json },
    Effect.fn(function* (input) {
      yield* printRecord(input.json, { removed_posts: yield* clear })
    })
  ).pipe(Command.withDescription("Remove the example posts that the first start made in the demo's workspace"))

export const workspace = <E extends { readonly message: string }, R>(clear: Effect.Effect<number, E, R>) =>
  Command.make("workspace").pipe(
    Command.withDescription("Workspaces: each has its own accounts, posts and API keys"),
    Command.withSubcommands([create, list, language, clearExamples(clear)])
  )
