import { Cache, Context, Data, DateTime, Duration, Effect, Exit, Layer, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { WorkspaceId } from "../domain/ids.ts"
import type { AccountAnswer } from "../domain/outlook/accountFindings.ts"
import type { MentionAnswer } from "../domain/outlook/answers.ts"
import type { DueAccount } from "../domain/outlook/duePost.ts"
import { platformName, renewsAccess } from "../domain/plain/platforms.ts"
import { PlatformError } from "../domain/publishing/platformError.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import { AccountLinking } from "../platforms/AccountLinking.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import { accountAccess } from "./accountAccess.ts"

const timeout = Duration.seconds(15)

const questions = { total: 16, perWorkspace: 4 }
const maxWait = Duration.seconds(10)

/** Answers are remembered, so that an outlook that is read often asks a platform rarely. */
const capacity = 5_000
const timeToLive = { known: Duration.minutes(5), unchecked: Duration.minutes(1) }

class Asked extends Data.Class<{
  readonly workspaceId: WorkspaceId
  readonly id: DueAccount["id"]
  readonly platform: DueAccount["platform"]
  readonly accountId: string
  readonly username: string
  readonly serviceUrl: string | null
  /** Another value after the account is connected again. */
  readonly accessUntil: number | null
}> {}

class AskedMention extends Data.Class<{ readonly account: Asked; readonly handle: string }> {}

interface Questions {
  /** Asks the platform whether it accepts the account. Access that has expired is renewed, as for a post. */
  readonly askAccount: (
    workspaceId: WorkspaceId,
    account: DueAccount
  ) => Effect.Effect<AccountAnswer, DatabaseUnavailable>
  /** Pure. Empty if the platform itself finds mentions. */
  readonly findMentions: (platform: DueAccount["platform"], text: string) => ReadonlyArray<string>
  readonly askMention: (
    workspaceId: WorkspaceId,
    account: DueAccount,
    handle: string
  ) => Effect.Effect<MentionAnswer, DatabaseUnavailable>
}

const toAsked = (
  workspaceId: WorkspaceId,
  { accessUntil, accountId, id, platform, serviceUrl, username }: DueAccount
): Asked =>
  new Asked({
    workspaceId,
    id,
    platform,
    accountId,
    username,
    serviceUrl,
    accessUntil: accessUntil === null ? null : DateTime.toEpochMillis(accessUntil)
  })

const isPlatformError = Schema.is(PlatformError)

const unchecked = (reason: string) => ({ _tag: "Unchecked", reason }) as const

const held = "nothing is asked of platforms while publishing is on hold after a restore"

const isUnchecked = ({ _tag }: AccountAnswer | MentionAnswer): boolean => _tag === "Unchecked"

const keptFor = (exit: Exit.Exit<AccountAnswer | MentionAnswer, unknown>): Duration.Duration => {
  if (Exit.isFailure(exit)) return Duration.zero
  return isUnchecked(exit.value) ? timeToLive.unchecked : timeToLive.known
}

class Late extends Data.TaggedError("Late") {}

const make = Effect.gen(function* () {
  const { integrations, publishingState } = yield* Repo
  const adapters = yield* PlatformClient
  const { profile } = yield* AccountLinking
  const { inTurn } = makeWorkspaceTurns(questions)

  /** A restored database has old tokens. Renewing them would end those of the service that it is a copy of. */
  const bounded = <A, E>({ platform, workspaceId }: Asked, answer: Effect.Effect<A, E>) =>
    Effect.flatMap(publishingState.hold, (hold) =>
      Option.isSome(hold)
        ? Effect.succeed(unchecked(held))
        : answer.pipe(
            Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(new Late()) }),
            withinWait(inTurn(workspaceId), maxWait, new Late()),
            Effect.catchIf(
              (error) => error instanceof Late,
              () => Effect.succeed(unchecked(`${platformName(platform)} did not answer in time`))
            )
          )
    )

  const accept = Effect.fnUntraced(function* (asked: Asked) {
    const { accessUntil, accountId, platform, serviceUrl } = asked
    const { credentials } = accountAccess(integrations, asked)
    const current = yield* credentials.current
    const now = DateTime.toEpochMillis(yield* DateTime.now)
    if (accessUntil !== null && accessUntil <= now && renewsAccess(platform)) {
      yield* credentials.refresh(current, adapters[platform].renew({ accountId, serviceUrl }, current))
    } else {
      yield* profile({ platform, accountId, serviceUrl, credentials: current })
    }
    return { _tag: "Accepted" } satisfies AccountAnswer
  })

  const accounts = yield* Cache.makeWith(
    (asked: Asked): Effect.Effect<AccountAnswer, DatabaseUnavailable> =>
      bounded(
        asked,
        Effect.catchIf(accept(asked), isPlatformError, (error) =>
          Effect.succeed<AccountAnswer>(
            error._tag === "NeedsReauthorization"
              ? { _tag: "Refused", reason: error.message }
              : unchecked(error.message)
          )
        )
      ),
    { capacity, timeToLive: keptFor }
  )

  const know = Effect.fnUntraced(function* ({ account, handle }: AskedMention) {
    const { mentions } = adapters[account.platform]
    const isKnown = mentions === undefined || (yield* mentions.isKnown(handle, accountAccess(integrations, account)))
    return { _tag: isKnown ? "Known" : "Unknown" } satisfies MentionAnswer
  })

  const mentioned = yield* Cache.makeWith(
    (asked: AskedMention): Effect.Effect<MentionAnswer, DatabaseUnavailable> =>
      bounded(
        asked.account,
        Effect.catchIf(know(asked), isPlatformError, ({ message }) => Effect.succeed<MentionAnswer>(unchecked(message)))
      ),
    { capacity, timeToLive: keptFor }
  )

  return {
    askAccount: (workspaceId, account) => Cache.get(accounts, toAsked(workspaceId, account)),
    findMentions: (platform, text) => adapters[platform].mentions?.find(text) ?? [],
    askMention: (workspaceId, account, handle) =>
      Cache.get(mentioned, new AskedMention({ account: toAsked(workspaceId, account), handle }))
  } satisfies Questions
})

/** Asks platforms about accounts, for posts that are not due yet. Without this layer, nothing is asked. */
export const AskAccount = Context.Reference<Questions>("social-publisher/accounts/AskAccount", {
  defaultValue: () => ({
    askAccount: () => Effect.succeed({ _tag: "Accepted" }),
    findMentions: () => [],
    askMention: () => Effect.succeed({ _tag: "Known" })
  })
})

export const askAccountLayer = Layer.effect(AskAccount, make)
