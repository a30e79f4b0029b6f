import { Effect, type Layer, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { ReplyTrial, type TrialReport } from "../platforms/ReplyTrial.ts"
import { Repo } from "../repo/Repo.ts"
import { accountAccess } from "./account.ts"
import { json, workspace } from "./input.ts"
import { printRecord } from "./output.ts"

/** In US dollars, by X's list of prices as of November 2026: $0.015 a post, deleting costs nothing. */
const price = "$0.03"

/** The trial posts on an account, and the command does not say that it may. */
class ConsentRequired extends Schema.TaggedError<ConsentRequired>()("ConsentRequired", { message: Schema.String }) {}

const askForConsent = (username: string) =>
  new ConsentRequired({
    message:
      `This posts two short texts from @${username} on X, the second as a reply to the first, and deletes both. Followers may ` +
      `see them for some seconds, and X charges about ${price}. Nothing was posted. To go on, repeat the command with --yes`
  })

class NoTwitterAccount extends Schema.TaggedError<NoTwitterAccount>()("NoTwitterAccount", { message: Schema.String }) {}

/** X did not take the reply, or has kept a post. */
class TrialFailed extends Schema.TaggedError<TrialFailed>()("TrialFailed", { message: Schema.String }) {}

const conclusions = {
  taken: "Threads can be posted from this account",
  refused: "Threads can't be posted from this account",
  unknown: "Whether the reply was posted is not known. Look at the account, and delete it there if it is"
}

const describeLeft = (left: ReadonlyArray<string>) =>
  left.length === 0 ? "" : `. These could not be deleted; delete them on X: ${left.join(" ")}`

const describeFailure = ({ left, reason, reply }: TrialReport) =>
  new TrialFailed({ message: `${conclusions[reply]}${reason === null ? "" : `: ${reason}`}${describeLeft(left)}` })

/** Tries a thread of two posts with a connected account on X. */
export const replyTrial = <E, R>(trialLayer: Layer.Layer<ReplyTrial, E, R>) =>
  Command.make(
    "check",
    {
      workspace,
      yes: Flag.Boolean("yes").pipe(
        Flag.withDefault(false),
        Flag.withDescription(`Post two short texts and delete them, for which X charges about ${price}`)
      ),
      json
    },
    Effect.fn(function* (input) {
      const { integrations, workspaces } = yield* Repo
      yield* workspaces.check(input.workspace)
      const all = yield* integrations.list(input.workspace)
      const found = all.find(({ platform, status }) => platform === "twitter" && status === "connected")
      if (found === undefined) {
        return yield* new NoTwitterAccount({
          message: "No account on X is connected that could post. Connect one first"
        })
      }
      const { account_id: accountId, id, username } = found
      if (!input.yes) return yield* askForConsent(username)
      const account = accountAccess(integrations, { id, accountId, username, serviceUrl: null })
      const others = { published: () => Effect.succeed(new Set<string>()), unresolved: () => Effect.succeed([]) }
      const report = yield* ReplyTrial.pipe(
        Effect.provide(trialLayer),
        Effect.flatMap(({ run }) => run({ ...account, others }))
      )
      yield* printRecord(input.json, {
        account: username,
        reply: report.reply,
        reason: report.reason,
        repeated: report.repeated,
        left: report.left,
        charged: `about ${price}`
      })
      if (report.reply !== "taken" || report.left.length > 0) return yield* describeFailure(report)
    })
  ).pipe(
    Command.withDescription(
      "Try whether X lets the application post a thread: post a text and a reply to it from the connected account, and delete both"
    )
  )
