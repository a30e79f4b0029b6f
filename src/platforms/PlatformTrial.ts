import { Context, Data, DateTime, Duration, Effect, Exit, Layer, Option, Record, Result, Schedule } from "effect"
import { nextTargetId } from "../domain/ids.ts"
import { hasThreads } from "../domain/plain/platforms.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { type Publication, Rejected, Unavailable } from "../domain/publishing/platformError.ts"
import type { Reply } from "../domain/publishing/reply.ts"
import { sendPost } from "./carryOut.ts"
import type { Connections, Trial } from "./Connection.ts"
import {
  type Account,
  type LookFailure,
  type PlatformAdapter,
  PlatformClient,
  type Prepared,
  type PublishRequest,
  type SendFailure
} from "./PlatformClient.ts"

export interface TrialReport {
  /** `unknown` if the platform did not say; `none` if it has no threads. */
  readonly reply: "taken" | "refused" | "unknown" | "none"
  readonly reason: string | null
  /** The number of times the reply was repeated while the platform did not show the first post yet. */
  readonly repeated: number
  /** The result of a look for the first post, as after an unknown outcome; `none` if nobody can read the posts. */
  readonly read: "found" | "missing" | "unknown" | "none"
  readonly readReason: string | null
  readonly missingScopes: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
}

class NotShown extends Data.TaggedError("NotShown") {}

const orNotShown = <A>(found: Option.Option<A>) => Effect.mapError(Effect.fromOption(found), () => new NotShown())

const describeRead = (
  read: Result.Result<Publication, NotShown | LookFailure> | null
): Pick<TrialReport, "read" | "readReason"> => {
  if (read === null) return { read: "none", readReason: null }
  if (Result.isSuccess(read)) return { read: "found", readReason: null }
  return read.failure._tag === "NotShown"
    ? { read: "missing", readReason: null }
    : { read: "unknown", readReason: read.failure.message }
}

/** With the usual pause, these repetitions take one minute. */
const times = 12
const usualPause = Duration.seconds(5)

/** The longest wait for a platform that is processing. */
const longestWait = Duration.minutes(10)

const waitsTooLong = Effect.timeoutOrElse({
  duration: longestWait,
  orElse: () =>
    Effect.fail(
      new Unavailable({ message: `The platform is still processing it after ${Duration.format(longestWait)}` })
    )
})

const makeRun = (
  adapter: PlatformAdapter,
  { canRead = () => true, missingScopes, rehearse, remove }: Trial,
  { hasReplies, pause }: { readonly hasReplies: boolean; readonly pause: Duration.Duration }
) => {
  const schedule = Schedule.spaced(pause)

  const look = (prepared: Prepared, account: Account, since: DateTime.Utc) =>
    Effect.suspend(() => adapter.find(prepared, account, since)).pipe(
      Effect.flatMap(orNotShown),
      Effect.retry({ while: ({ _tag }) => _tag === "NotShown", schedule, times })
    )

  const prepare = (request: PublishRequest, account: Account): Effect.Effect<Prepared, SendFailure> =>
    Effect.catchTag(adapter.prepare(request, account), "Preparing", ({ askAfter, begun }) =>
      Effect.delay(prepare({ ...request, begun }, account), askAfter)
    )

  const awaitPost = (
    prepared: Prepared,
    account: Account,
    since: DateTime.Utc,
    askAfter: Duration.Duration
  ): Effect.Effect<Publication, LookFailure> =>
    Effect.delay(
      Effect.catchTags(adapter.reconcile(prepared, account, since), {
        Accepted: (accepted) => awaitPost(prepared, account, since, accepted.askAfter),
        Dropped: ({ message }) => Effect.fail(new Rejected({ message }))
      }),
      askAfter
    )

  /** Waits for the id of a published post. Replies and deletion need the id. */
  const withId = (publication: Publication, prepared: Prepared, account: Account, since: DateTime.Utc) =>
    publication.platformPostId !== null || adapter.findAddress === undefined
      ? Effect.succeed(publication)
      : adapter.findAddress(prepared, account, since).pipe(
          Effect.flatMap(orNotShown),
          Effect.retry({ schedule, times }),
          Effect.orElseSucceed(() => publication)
        )

  /**
   * Even if interrupted, finishes a request in flight and deletes the posts. Fails if the first post is not published.
   * A failure or interruption logs posts that may be left on the account.
   */
  const run = Effect.fnUntraced(function* (
    account: Account,
    restore: <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>
  ): Effect.fn.Return<TrialReport, SendFailure> {
    const lacking = yield* restore(Effect.flatMap(account.credentials.current, missingScopes))
    const begun = yield* DateTime.now
    const time = DateTime.formatIso(begun)
    const targetId = yield* nextTargetId
    const out: Array<Publication> = []
    const left: Array<string> = []
    let sends = 0
    /** True while a post that is not in `out` may be published. */
    let isOpen = false

    const publish = Effect.fnUntraced(function* (part: number, reply: Reply | null) {
      const text = hasReplies
        ? `Trying a thread, which is deleted right away (${part} of 2, ${time})`
        : `Trying a post, which is deleted right away (${time})`
      const prepared = yield* restore(waitsTooLong(prepare({ targetId, text, part, reply, settings: {} }, account)))
      isOpen = true
      const answered = yield* Effect.result(sendPost(adapter, prepared, account))
      const isTaken = Result.isFailure(answered) && answered.failure._tag === "Accepted"
      const sent = isTaken
        ? yield* Effect.result(restore(waitsTooLong(awaitPost(prepared, account, begun, answered.failure.askAfter))))
        : answered
      isOpen =
        Result.isFailure(sent) &&
        (isTaken ? sent.failure._tag !== "Rejected" : ["OutcomeUnknown", "Overloaded"].includes(sent.failure._tag))
      const found = isOpen ? yield* Effect.option(restore(look(prepared, account, begun))) : Option.none()
      const publication = yield* Option.isSome(found) ? Effect.succeed(found.value) : Effect.fromResult(sent)
      isOpen = false
      const named = yield* restore(withId(publication, prepared, account, begun))
      out.push(named)
      return { prepared, publication: named }
    })

    const trial = Effect.gen(function* () {
      const { prepared, publication } = yield* publish(1, null)
      if (publication.platformPostId === null)
        return yield* new Unavailable({ message: "The platform did not say which post it published" })
      const first = { platformPostId: publication.platformPostId, cid: publication.cid ?? null }
      const reply = { root: first, parent: first, parentAt: yield* DateTime.now }
      const sendReply = Effect.suspend(() => {
        sends += 1
        return Effect.uninterruptible(publish(2, reply))
      })
      const sent = hasReplies
        ? yield* Effect.result(
            restore(Effect.retry(sendReply, { while: ({ _tag }) => _tag === "TooEarly", schedule, times }))
          )
        : null
      const read = canRead(account) ? yield* Effect.result(restore(look(prepared, account, begun))) : null
      return { sent, read }
    })
    // Newest first, because deleting a parent leaves its reply on the account.
    const deleteAll = Effect.suspend(() =>
      Effect.forEach(
        out.toReversed(),
        Effect.fnUntraced(function* (post) {
          const isRemoved = post.platformPostId !== null && (yield* remove(post, account))
          if (!isRemoved) left.push(post.url ?? "a trial post whose address is not known")
        }),
        { discard: true }
      )
    )
    const tried = yield* Effect.exit(trial)
    yield* deleteAll
    if (Exit.isFailure(tried)) {
      if (left.length > 0) yield* Effect.logWarning(`Not deleted; delete these on the account: ${left.join(" ")}`)
      if (isOpen) yield* Effect.logWarning("A trial post may be on the account. Look there, and delete it if it is")
      return yield* Effect.failCause(tried.cause)
    }
    const { read, sent } = tried.value
    const report = {
      repeated: Math.max(0, sends - 1),
      ...describeRead(read),
      missingScopes: lacking,
      left
    } as const
    if (sent === null) return { reply: "none", reason: null, ...report }
    if (Result.isSuccess(sent)) return { reply: "taken", reason: null, ...report }
    return { reply: isOpen ? "unknown" : "refused", reason: sent.failure.message, ...report }
  })

  const rehearseWith = Effect.fnUntraced(function* (account: Account, ask: NonNullable<Trial["rehearse"]>) {
    const lacking = yield* Effect.flatMap(account.credentials.current, missingScopes)
    yield* ask(account)
    return {
      reply: "none",
      reason: null,
      repeated: 0,
      read: "found",
      readReason: null,
      missingScopes: lacking,
      left: []
    } satisfies TrialReport
  })

  return (account: Account) =>
    (rehearse === undefined
      ? Effect.uninterruptibleMask((restore) => run(account, restore))
      : rehearseWith(account, rehearse)
    ).pipe(Effect.withSpan("PlatformTrial.run"))
}

/**
 * Tries a platform with a real account: publishes a post and a reply, reads the post and deletes both. Only a trial can
 * tell, for example, if X lets the application reply to the account's own posts.
 */
export class PlatformTrial extends Context.Service<
  PlatformTrial,
  {
    readonly run: (platform: LivePlatform, account: Account) => Effect.Effect<TrialReport, SendFailure>
    readonly describe: (platform: LivePlatform) => Pick<Trial, "openQuestions" | "price" | "rehearse" | "seenBy">
  }
>()("social-publisher/platforms/PlatformTrial") {
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
          run: (platform, account) =>
            makeRun(adapters[platform], trials[platform], { hasReplies: hasThreads(platform), pause })(account),
          describe: (platform) => trials[platform]
        }
      })
    )
}
