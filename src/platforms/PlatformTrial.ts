import { Context, Data, DateTime, Duration, Effect, Layer, Option, Record, Result, Schedule } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import { nextTargetId, type TargetId } from "../domain/ids.ts"
import type { LivePlatform } from "../domain/platform.ts"
import type { DuplicateRefused, PlatformError, Publication, UploadsGone } from "../domain/publishing/platformError.ts"
import type { Reply } from "../domain/publishing/reply.ts"
import { sendPost } from "./carryOut.ts"
import type { Connections } from "./Connection.ts"
import { type Account, type PlatformAdapter, PlatformClient, type Prepared } from "./PlatformClient.ts"
import type { Trial } from "./Trial.ts"

/** The result of a trial whose first post was published. */
export interface TrialReport {
  /** Whether the platform took the reply; unknown if it did not say so. */
  readonly reply: "taken" | "refused" | "unknown"
  /** Why the platform did not take it, or did not say so; null if it took it. */
  readonly reason: string | null
  /** How often the platform did not show the first post yet, so that the reply was sent again. */
  readonly repeated: number
  /** Whether the first post was found on the account, as it would have to be after an unknown outcome. */
  readonly read: "found" | "missing" | "unknown"
  /** Why that is not known; null if it is. */
  readonly readReason: string | null
  /** What the account's access does not allow, although the service asks for it. */
  readonly missingScopes: ReadonlyArray<string>
  /** The URLs of the posts that could not be deleted. */
  readonly left: ReadonlyArray<string>
}

type TrialError = PlatformError | DuplicateRefused | UploadsGone | DatabaseUnavailable

/** The platform does not show the post. */
class NotShown extends Data.TaggedError("NotShown") {}

/** How often a reply or a look is repeated while the platform does not show the first post: for a minute. */
const times = 12
const usualPause = Duration.seconds(5)

/** Prepares one text of a trial and publishes it: the only calls that send with an adapter outside of the engine. */
const send = Effect.fnUntraced(function* (
  adapter: PlatformAdapter,
  request: { readonly targetId: TargetId; readonly text: string; readonly part: number; readonly reply: Reply | null },
  account: Account
) {
  const prepared = yield* adapter.prepare({ ...request, settings: {} }, account)
  return { prepared, publication: yield* sendPost(adapter, prepared, account) }
})

const makeRun = (adapter: PlatformAdapter, { missingScopes, remove }: Trial, pause: Duration.Duration) => {
  const schedule = Schedule.spaced(pause)

  const look = (prepared: Prepared, account: Account, since: DateTime.Utc) =>
    adapter.find(prepared, account, since).pipe(
      Effect.filterOrFail(Option.isSome, () => new NotShown()),
      Effect.retry({ while: ({ _tag }) => _tag === "NotShown", schedule, times }),
      Effect.match({
        onSuccess: () => ({ read: "found" as const, readReason: null }),
        onFailure: (error) =>
          error._tag === "NotShown"
            ? { read: "missing" as const, readReason: null }
            : { read: "unknown" as const, readReason: error.message }
      })
    )

  /** Posts, replies, reads and deletes, also if it is interrupted. Fails if the first post is not published. */
  return Effect.fn("PlatformTrial.run")(function* (account: Account): Effect.fn.Return<TrialReport, TrialError> {
    const begun = yield* DateTime.now
    const time = DateTime.formatIso(begun)
    const targetId = yield* nextTargetId
    const out: Array<Publication> = []
    const left: Array<string> = []
    let sends = 0
    const publish = (part: number, reply: Reply | null) => {
      const text = `Trying a thread, which is deleted at once (${part} of 2, ${time})`
      return Effect.tap(send(adapter, { targetId, text, part, reply }, account), ({ publication }) =>
        Effect.sync(() => out.push(publication))
      )
    }
    const trial = Effect.gen(function* () {
      const { prepared, publication } = yield* publish(1, null)
      const first = { platformPostId: publication.platformPostId ?? "", cid: publication.cid ?? null }
      const reply = { root: first, parent: first, parentAt: yield* DateTime.now }
      const sendReply = Effect.suspend(() => {
        sends += 1
        return publish(2, reply)
      })
      const sent = yield* Effect.result(
        Effect.retry(sendReply, { while: ({ _tag }) => _tag === "TooEarly", schedule, times })
      )
      return { sent, ...(yield* look(prepared, account, begun)) }
    })
    // A reply whose parent is deleted first stays as an answer to nothing.
    const deleteAll = Effect.suspend(() =>
      Effect.forEach(
        out.toReversed(),
        Effect.fnUntraced(function* (post) {
          if (!(yield* remove(post, account))) left.push(post.url ?? "")
        }),
        { discard: true }
      )
    )
    const { read, readReason, sent } = yield* Effect.ensuring(trial, deleteAll)
    // The access may have been renewed by then.
    const lacking = yield* missingScopes(yield* account.credentials.current)
    const rest = { repeated: sends - 1, read, readReason, missingScopes: lacking, left }
    if (Result.isSuccess(sent)) return { reply: "taken", reason: null, ...rest }
    const { _tag, message } = sent.failure
    return { reply: _tag === "OutcomeUnknown" ? "unknown" : "refused", reason: message, ...rest }
  })
}

/**
 * Tries a platform with a real account: publishes a post and a reply to it, reads the first one, and deletes both. Some of
 * that only a trial can tell, such as whether X lets the application reply to the account's own posts.
 */
export class PlatformTrial extends Context.Service<
  PlatformTrial,
  {
    readonly run: (platform: LivePlatform, account: Account) => Effect.Effect<TrialReport, TrialError>
    /** The price of a trial, and the people who may see its posts. */
    readonly describe: (platform: LivePlatform) => Pick<Trial, "price" | "seenBy">
  }
>()("social-publisher/platforms/PlatformTrial") {
  /** `pause` is how long the platform is given to show the first post before a reply or a look is repeated. */
  static readonly layer = (
    platforms: Connections,
    pause = usualPause
  ): Layer.Layer<PlatformTrial, never, PlatformClient> =>
    Layer.effect(
      PlatformTrial,
      Effect.gen(function* () {
        const adapters = yield* PlatformClient
        const trials = Record.map(platforms, ({ makeTrial }, platform) => makeTrial(adapters[platform].calls))
        return {
          run: (platform, account) => makeRun(adapters[platform], trials[platform], pause)(account),
          describe: (platform) => trials[platform]
        }
      })
    )
}
