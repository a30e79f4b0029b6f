import { Console, Effect, type Layer, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { Backups } from "../backup/Backups.ts"
import { isEnabled } from "../domain/enabled.ts"
import { accountName, hasThreads, inSentence, isPlatform, platformName, platforms } from "../domain/plain/platforms.ts"
import { findMeantPlatform, type LivePlatform, whyInReview } from "../domain/platform.ts"
import { PlatformTrial, type TrialReport } from "../platforms/PlatformTrial.ts"
import { CurrentRules } from "../platforms/rules.ts"
import { Repo } from "../repo/Repo.ts"
import { accountAccess } from "../accounts/accountAccess.ts"
import { json, toggle, workspace } from "./input.ts"
import { printRecord } from "./output.ts"

class PlatformRefused extends Schema.TaggedError<PlatformRefused>()("PlatformRefused", { message: Schema.String }) {}

class ConsentRequired extends Schema.TaggedError<ConsentRequired>()("ConsentRequired", { message: Schema.String }) {}

class NoAccount extends Schema.TaggedError<NoAccount>()("NoAccount", { message: Schema.String }) {}

/** A feature that the service needs does not work with the account. */
class TrialFailed extends Schema.TaggedError<TrialFailed>()("TrialFailed", { message: Schema.String }) {}

const findPlatform = Effect.fnUntraced(function* (name: string) {
  const platform = isPlatform(name) ? name : findMeantPlatform(name)
  if (platform === undefined) {
    return yield* new PlatformRefused({ message: `There is no platform ${name}. Expected ${inSentence(platforms)}` })
  }
  if (!isEnabled(yield* CurrentRules, platform)) return yield* new PlatformRefused({ message: whyInReview(platform) })
  return platform
})

const conclusions: Readonly<Record<Exclude<TrialReport["reply"], "none">, string>> = {
  taken: "Threads can be posted from this account",
  refused: "Threads can't be posted from this account",
  unknown: "It is not known whether the reply was posted. Look at the account, and delete the reply if it is there"
}

const withReason = (conclusion: string, reason: string | null) =>
  reason === null ? conclusion : `${conclusion}: ${reason}`

const findFaults = (name: string, { left, missingScopes, read, readReason, reason, reply }: TrialReport) => [
  ...(reply === "taken" || reply === "none" ? [] : [withReason(conclusions[reply], reason)]),
  ...(read === "found" || read === "none"
    ? []
    : [withReason(`${name} did not show the first post when it was looked up`, readReason)]),
  ...(missingScopes.length === 0 ? [] : [`The account does not allow ${inSentence(missingScopes)}; connect it again`]),
  ...(left.length === 0 ? [] : [`These could not be deleted; delete them on ${name}: ${left.join(" ")}`])
]

interface Input {
  readonly workspace: Parameters<Repo["Service"]["workspaces"]["check"]>[0]
  readonly yes: boolean
  readonly json: boolean
}

const findAccount = Effect.fnUntraced(function* (platform: LivePlatform, workspaceId: Input["workspace"]) {
  const { integrations, workspaces } = yield* Repo
  const { timelines } = yield* Backups
  yield* workspaces.check(workspaceId)
  const all = yield* integrations.list(workspaceId)
  const found = all.find((each) => each.platform === platform && each.status === "connected")
  const stored = (yield* timelines.accounts(platform)).find(({ accountId }) => accountId === found?.account_id)
  if (found === undefined || stored === undefined) {
    return yield* new NoAccount({
      message: `No connected account on ${platformName(platform)} can post. Connect one first`
    })
  }
  const { account_id: accountId, id, username } = found
  const access = accountAccess(integrations, { id, accountId, username, serviceUrl: stored.serviceUrl })
  // Each trial's texts contain its time, so no other post has the same text.
  const others = { published: () => Effect.succeed(new Set<string>()), unresolved: () => Effect.succeed([]) }
  return { ...access, others }
})

const check = Effect.fnUntraced(function* (platform: LivePlatform, input: Input) {
  const account = yield* findAccount(platform, input.workspace)
  const { describe, run } = yield* PlatformTrial
  const { openQuestions = [], price, rehearse, seenBy } = describe(platform)
  const name = platformName(platform)
  const sender = accountName(platform, account.username)
  const charge = price === null ? "" : `, and ${name} charges about ${price}`
  if (!input.yes && rehearse === undefined) {
    return yield* new ConsentRequired({
      message: `${
        hasThreads(platform)
          ? `This posts two short texts from ${sender} on ${name}, the second as a reply to the first, reads the first and deletes both`
          : `This posts a short text from ${sender} on ${name}, reads it if ${name} allows that, and deletes it`
      }. ${seenBy}${charge}. Nothing was posted. To continue, repeat the command with --yes`
    })
  }
  const report = yield* run(platform, account)
  yield* printRecord(input.json, {
    platform,
    account: account.username,
    reply: report.reply,
    reason: report.reason,
    repeated: report.repeated,
    read: report.read,
    missing_scopes: report.missingScopes,
    left: report.left,
    charged: price === null ? null : `about ${price}`
  })
  // On standard error, so that the result stays one record.
  yield* Effect.forEach(
    openQuestions,
    ({ changes, question }) => Console.error(`Still open: ${question}. This would change: ${changes}.`),
    { discard: true }
  )
  const faults = findFaults(name, report)
  if (faults.length > 0) return yield* new TrialFailed({ message: faults.join(". ") })
})

const flags = {
  workspace,
  yes: toggle("yes", "Post two short texts and delete them, for which a platform may charge"),
  json
}

export const platform = <E, R>(trialLayer: Layer.Layer<PlatformTrial, E, R>) =>
  Command.make("platform").pipe(
    Command.withDescription("Platforms that posts go to"),
    Command.withSubcommands([
      Command.make(
        "check",
        { name: Argument.String("name").pipe(Argument.withDescription("The platform's name in the API")), ...flags },
        Effect.fn(function* ({ name, ...input }) {
          const found = yield* findPlatform(name)
          yield* Effect.provide(check(found, input), trialLayer)
        })
      ).pipe(
        Command.withDescription(
          "Try a platform with the connected account: post a text and a reply to it, read the text, delete both, and list missing scopes"
        )
      )
    ])
  )

export const integrationCheck = <E, R>(trialLayer: Layer.Layer<PlatformTrial, E, R>) =>
  Command.make("check", flags, (input) => Effect.provide(check("twitter", input), trialLayer)).pipe(
    Command.withDescription("The earlier name of `platform check twitter`"),
    Command.unlisted
  )
