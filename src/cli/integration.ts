import { Console, Effect, type Layer, Option, Record, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { forgetCredentials } from "../accounts/forgetCredentials.ts"
import { replaceAccount } from "../accounts/replaceAccount.ts"
import { revokeAccess } from "../accounts/revokeAccess.ts"
import {
  type AnotherAccountConnected,
  describeWaiting,
  type WaitingPosts,
  WaitingPostsChoice
} from "../domain/accounts/accountChange.ts"
import { IntegrationId } from "../domain/ids.ts"
import type { Integration } from "../domain/accounts/integration.ts"
import { accountName, platformName, withArticle } from "../domain/plain/platforms.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { liveFacts } from "../platforms/facts.ts"
import { type ConsentPlatform, consentPlatforms, type FormPlatform, formPlatforms } from "../platforms/links.ts"
import type { FormFacts } from "../platforms/Platform.ts"
import type { PlatformTrial } from "../platforms/PlatformTrial.ts"
import { Repo } from "../repo/Repo.ts"
import { integrationCheck } from "./checkPlatform.ts"
import { argumentOf, json, readPassword, workspace } from "./input.ts"
import { printRecord, printTable } from "./output.ts"

const integrationRecord = (integration: Integration) => {
  const { account_id, created_at, display_name, id, platform, status, username } = integration
  return { id, platform, account_id, username, display_name, status, created_at }
}

class ChoiceRequired extends Schema.TaggedError<ChoiceRequired>()("ChoiceRequired", { message: Schema.String }) {}

const askForChoice = (another: AnotherAccountConnected) =>
  new ChoiceRequired({
    message:
      `${another.message}. Nothing was changed. To replace the account, repeat the command with --posts replace, so that ` +
      `waiting posts go out from ${accountName(another.platform, another.next.username)} at their times, or with --posts drafts, so that scheduled posts ` +
      "become drafts that keep their times"
  })

/** No other account was replaced, so scheduled posts did not become drafts. */
const reportUnchanged = (username: string, choice: WaitingPostsChoice, waiting: WaitingPosts) =>
  choice === "drafts" && waiting.scheduled > 0
    ? Console.error(
        `@${username} is the same account as before, so no post was made a draft: ${describeWaiting(waiting)}`
      )
    : Effect.void

const posts = Flag.optional(
  Flag.Literals("posts", WaitingPostsChoice.literals).pipe(
    Flag.withDescription(
      "Replace another account. replace: waiting posts go out from this one; drafts: scheduled posts become drafts first"
    )
  )
)

/** Each field of the form is a flag. The secret is not, because other users of the machine can read flags. */
const connectByForm = (platform: FormPlatform) => {
  const { fields, secret }: FormFacts = liveFacts[platform].link
  const flags = Record.map(fields, ({ flag, unfold }, name) => {
    const required = Flag.String(name).pipe(Flag.withDescription(flag))
    return unfold === undefined ? required : Flag.map(Flag.optional(required), Option.getOrNull)
  })
  return Command.make(
    platform,
    { workspace, fields: flags, posts, json },
    Effect.fn(function* (input) {
      const { integrations } = yield* Repo
      const accountLinking = yield* AccountLinking
      const account = yield* accountLinking.logIn(platform, { ...input.fields, [secret.name]: yield* readPassword })
      const stored = yield* Effect.gen(function* () {
        if (Option.isNone(input.posts)) return yield* integrations.connect(input.workspace, account)
        const { integration, unchanged } = yield* replaceAccount(input.workspace, account, input.posts.value)
        if (unchanged !== null) yield* reportUnchanged(integration.username, input.posts.value, unchanged)
        return integration
      }).pipe(
        // These errors changed nothing, so the new credentials are not needed and are revoked.
        Effect.tapErrorTag(["AnotherAccountConnected", "OutcomePending", "NotFound"], () => revokeAccess(account)),
        Effect.catchTag("AnotherAccountConnected", askForChoice)
      )
      yield* printRecord(input.json, integrationRecord(stored))
    })
  ).pipe(
    Command.withDescription(
      `Connect ${withArticle(platformName(platform))} account. Its ${secret.name.replaceAll("_", " ")} is read from standard input`
    )
  )
}

const connectByConsent = (platform: ConsentPlatform) => {
  const name = platformName(platform)
  return Command.make(
    platform,
    { workspace, json },
    Effect.fn(function* (input) {
      const { oauthStates } = yield* Repo
      const { state, url, verifier } = yield* (yield* AccountLinking).begin(platform)
      yield* oauthStates.begin(state, { platform, workspaceId: input.workspace, verifier })
      if (input.json) return yield* printRecord(true, { url })
      yield* Console.log(
        `Open this URL within 15 minutes, logged in to ${name} as the account to connect:\n\n  ${url}\n`
      )
    })
  ).pipe(
    Command.withDescription(
      `Print a URL where a person connects ${withArticle(name)} account. The running service completes the connection`
    )
  )
}

const list = Command.make(
  "list",
  { workspace, json },
  Effect.fn(function* (input) {
    const { integrations, workspaces } = yield* Repo
    yield* workspaces.check(input.workspace)
    const unreadable = yield* integrations.findUnreadable(input.workspace)
    yield* printTable(
      input.json,
      (yield* integrations.list(input.workspace)).map((one) => ({
        ...integrationRecord(one),
        credentials: unreadable.has(one.id) ? "unreadable" : "readable"
      })),
      "No account is connected yet"
    )
  })
).pipe(Command.withDescription("List a workspace's connected accounts, newest first"))

/**
 * Works even if the platform can't be reached, such as a stopped sandbox. The credentials then stay valid until their
 * tokens expire.
 */
const disconnect = <E, R>(accountLinkingLayer: Layer.Layer<AccountLinking, E, R>) =>
  Command.make(
    "disconnect",
    { id: argumentOf("id", IntegrationId, "`integration list` prints the ids"), json },
    Effect.fn(function* (input) {
      const { integrations } = yield* Repo
      const { former, integration } = yield* integrations.disconnect(input.id)
      if (former !== null) {
        yield* revokeAccess(former).pipe(
          Effect.provide(accountLinkingLayer),
          Effect.catch((error) => Effect.logWarning("Access to the account was not ended at its platform", error))
        )
      }
      yield* printRecord(input.json, { ...integrationRecord(integration), status: "disconnected" })
    })
  ).pipe(
    Command.withDescription(
      "Disconnect an account: its credentials are deleted, its access is ended, and its scheduled posts fail when they are due"
    )
  )

class StillUnreadable extends Schema.TaggedError<StillUnreadable>()("StillUnreadable", { message: Schema.String }) {}

const describeUnreadable = (
  unreadable: Readonly<Record<"integrations" | "webhooks" | "channels", ReadonlyArray<string>>>
) => {
  const { channels, integrations, webhooks } = unreadable
  return new StillUnreadable({
    message:
      `Integrations ${integrations.length}, webhooks ${webhooks.length}, channels ${channels.length}: no key in ENCRYPTION_KEY decrypts their secrets. ` +
      "These were left as they are, and all others were encrypted. Add the key that they were encrypted with and repeat the command, or " +
      `connect these accounts again and replace these webhooks and channels:\n${[...integrations, ...webhooks, ...channels].map((id) => `  ${id}`).join("\n")}`
  })
}

const reencrypt = Command.make(
  "reencrypt",
  { json },
  Effect.fn(function* (input) {
    const { channels, integrations, webhooks } = yield* Repo
    const results = {
      integrations: yield* integrations.reencrypt,
      webhooks: yield* webhooks.reencrypt,
      channels: yield* channels.reencrypt
    }
    const reencrypted = Object.values(results).reduce((sum, each) => sum + each.reencrypted, 0)
    const unreadable = Record.map(results, (each) => each.unreadable)
    const isComplete = Object.values(unreadable).every((ids) => ids.length === 0)
    yield* printRecord(input.json, isComplete ? { reencrypted } : { reencrypted, ...unreadable })
    if (!isComplete) return yield* describeUnreadable(unreadable)
  })
).pipe(
  Command.withDescription(
    "Encrypt all credentials, and the secrets of webhooks and channels, with the first key of ENCRYPTION_KEY. The other keys can be removed afterwards"
  )
)

const forget = Command.make(
  "forget-credentials",
  { json },
  Effect.fn(function* (input) {
    yield* printRecord(input.json, { forgotten: yield* forgetCredentials })
  })
).pipe(
  Command.withDescription(
    "After a key was lost: require a new connection of every account whose credentials no key in ENCRYPTION_KEY decrypts"
  )
)

/** Only `connect` and `check` need the platforms. `disconnect` uses them if it can. */
export const integration = <E, R, E2, R2>(
  accountLinkingLayer: Layer.Layer<AccountLinking, E, R>,
  trialLayer: Layer.Layer<PlatformTrial, E2, R2>
) =>
  Command.make("integration").pipe(
    Command.withDescription("Integrations: the connected accounts"),
    Command.withSubcommands([
      Command.make("connect").pipe(
        Command.withDescription("Connect an account"),
        Command.withSubcommands([...formPlatforms.map(connectByForm), ...consentPlatforms.map(connectByConsent)]),
        Command.provide(() => accountLinkingLayer)
      ),
      list,
      integrationCheck(trialLayer),
      disconnect(accountLinkingLayer),
      reencrypt,
      forget
    ])
  )
