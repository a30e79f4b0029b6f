import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { IntegrationId, WorkspaceId } from "../domain/ids.ts"
import type { Integration } from "../domain/integration.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { Repo } from "../repo/Repo.ts"
import { json, printRecord, printTable } from "./output.ts"
import { passwordFromStandardInput } from "./password.ts"

const workspace = Flag.String("workspace").pipe(
  Flag.withSchema(WorkspaceId),
  Flag.withDescription("The workspace's id")
)

const shown = (integration: Integration) => ({
  id: integration.id,
  platform: integration.platform,
  username: integration.username,
  display_name: integration.display_name,
  status: integration.status,
  created_at: integration.created_at
})

const linkBluesky = Command.make(
  "bluesky",
  {
    workspace,
    identifier: Flag.String("identifier").pipe(Flag.withDescription("Handle, DID or email address of the account")),
    service: Flag.optional(Flag.String("service").pipe(Flag.withDescription("Its PDS; the default one otherwise"))),
    json
  },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    const connections = yield* AccountLinking
    const password = yield* passwordFromStandardInput
    const account = yield* connections.linkBluesky({
      service: Option.getOrNull(input.service),
      identifier: input.identifier,
      password
    })
    const stored = yield* integrations.connect(input.workspace, { platform: "bluesky", ...account })
    yield* printRecord(input.json, shown(stored))
  })
).pipe(Command.withDescription("Connect a Bluesky account; its app password is read from standard input"))

const connectTwitter = Command.make(
  "twitter",
  { workspace, json },
  Effect.fn(function* (input) {
    const { oauthStates } = yield* Repo
    const { state, url, verifier } = yield* (yield* AccountLinking).beginTwitterLink
    yield* oauthStates.begin(state, { workspaceId: input.workspace, verifier })
    if (input.json) return yield* printRecord(true, { url })
    yield* Console.log(`Open this address within 15 minutes, as the account that is to post:\n\n  ${url}\n`)
  })
).pipe(
  Command.withDescription("Print the address by which a person connects an X account; the running service finishes it")
)

const list = Command.make(
  "list",
  { workspace, json },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    yield* printTable(input.json, (yield* integrations.list(input.workspace)).map(shown), "No account is connected yet")
  })
).pipe(Command.withDescription("List a workspace's connected accounts, newest first"))

const disconnect = Command.make(
  "disconnect",
  { id: Argument.String("id").pipe(Argument.withSchema(IntegrationId)), json },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    yield* printRecord(input.json, { ...shown(yield* integrations.disconnect(input.id)), status: "disconnected" })
  })
).pipe(Command.withDescription("Disconnect an account: its credentials are forgotten, and what is due for it fails"))

const reencrypt = Command.make(
  "reencrypt",
  { json },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    yield* printRecord(input.json, { reencrypted: yield* integrations.reencrypt })
  })
).pipe(
  Command.withDescription("Encrypt all credentials with the first key of ENCRYPTION_KEY; the others can go after that")
)

/** The commands on accounts; connecting one also needs the platforms. */
export const integration = <E, R>(connections: Layer.Layer<AccountLinking, E, R>) =>
  Command.make("integration").pipe(
    Command.withDescription("Connected accounts"),
    Command.withSubcommands([
      Command.make("connect").pipe(
        Command.withDescription("Connect an account"),
        Command.withSubcommands([linkBluesky, connectTwitter]),
        Command.provide(() => connections)
      ),
      list,
      disconnect,
      reencrypt
    ])
  )
