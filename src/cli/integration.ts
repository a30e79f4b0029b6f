import { Console, Effect, type Layer, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { IntegrationId } from "../domain/ids.ts"
import type { Integration } from "../domain/integration.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { Repo } from "../repo/Repo.ts"
import { json, readPassword, workspace } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

const integrationRecord = (integration: Integration) => ({
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
    service: Flag.optional(
      Flag.String("service").pipe(Flag.withDescription("URL of the account's PDS, if it is not the default one"))
    ),
    json
  },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    const accountLinking = yield* AccountLinking
    const password = yield* readPassword
    const account = yield* accountLinking.linkBluesky({
      service: Option.getOrNull(input.service),
      identifier: input.identifier,
      password
    })
    const stored = yield* integrations.connect(input.workspace, { platform: "bluesky", ...account })
    yield* printRecord(input.json, integrationRecord(stored))
  })
).pipe(Command.withDescription("Connect a Bluesky account. Its app password is read from standard input"))

const linkTwitter = Command.make(
  "twitter",
  { workspace, json },
  Effect.fn(function* (input) {
    const { oauthStates } = yield* Repo
    const { state, url, verifier } = yield* (yield* AccountLinking).beginTwitterLink
    yield* oauthStates.begin(state, { workspaceId: input.workspace, verifier })
    if (input.json) return yield* printRecord(true, { url })
    yield* Console.log(`Open this URL within 15 minutes, logged in to X as the account to connect:\n\n  ${url}\n`)
  })
).pipe(
  Command.withDescription(
    "Print a URL where a person connects an X account. The running service completes the connection"
  )
)

const list = Command.make(
  "list",
  { workspace, json },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    yield* printTable(
      input.json,
      (yield* integrations.list(input.workspace)).map(integrationRecord),
      "No account is connected yet"
    )
  })
).pipe(Command.withDescription("List a workspace's connected accounts, newest first"))

const disconnect = Command.make(
  "disconnect",
  { id: Argument.String("id").pipe(Argument.withSchema(IntegrationId)), json },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    yield* printRecord(input.json, {
      ...integrationRecord((yield* integrations.disconnect(input.id)).integration),
      status: "disconnected"
    })
  })
).pipe(
  Command.withDescription(
    "Disconnect an account: its credentials are deleted, and its scheduled posts fail when they are due"
  )
)

const reencrypt = Command.make(
  "reencrypt",
  { json },
  Effect.fn(function* (input) {
    const { integrations } = yield* Repo
    yield* printRecord(input.json, { reencrypted: yield* integrations.reencrypt })
  })
).pipe(
  Command.withDescription(
    "Encrypt all credentials with the first key of ENCRYPTION_KEY. The other keys can be removed afterwards"
  )
)

/** The commands for accounts. Only `connect` needs the platforms. */
export const integration = <E, R>(accountLinkingLayer: Layer.Layer<AccountLinking, E, R>) =>
  Command.make("integration").pipe(
    Command.withDescription("Integrations: the connected accounts"),
    Command.withSubcommands([
      Command.make("connect").pipe(
        Command.withDescription("Connect an account"),
        Command.withSubcommands([linkBluesky, linkTwitter]),
        Command.provide(() => accountLinkingLayer)
      ),
      list,
      disconnect,
      reencrypt
    ])
  )
