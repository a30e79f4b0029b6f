import { Cache, Context, Data, Duration, Effect, Exit, Layer, Option } from "effect"
import type { Integration } from "../domain/accounts/integration.ts"
import type { PostingOptions } from "../domain/accounts/postingOptions.ts"
import type { DatabaseUnavailable } from "../domain/errors.ts"
import type { IntegrationId, WorkspaceId } from "../domain/ids.ts"
import { platformName } from "../domain/plain/platforms.ts"
import type { LivePlatform } from "../domain/platform.ts"
import { type PlatformError, Unavailable } from "../domain/publishing/platformError.ts"
import { makeWorkspaceTurns, withinWait } from "../domain/workspaceTurns.ts"
import { PlatformClient } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import { accountAccess } from "./accountAccess.ts"

const timeout = Duration.seconds(15)

const questions = { total: 16, perWorkspace: 4 }
const maxWait = Duration.seconds(10)

/** Cached, because a form asks whenever its window gets the focus, and platforms count the questions. */
const capacity = 1000
const timeToLive = { known: Duration.minutes(1), failed: Duration.seconds(15) }

type Failure = PlatformError | DatabaseUnavailable

/** Null if all accounts of the platform have the same choices. */
export type AskOptions = (
  workspaceId: WorkspaceId,
  account: Integration
) => Effect.Effect<PostingOptions | null, Failure>

class Asked extends Data.Class<{
  readonly workspaceId: WorkspaceId
  readonly id: IntegrationId
  readonly platform: LivePlatform
  readonly accountId: string
  readonly username: string
}> {}

const late = (platform: LivePlatform) =>
  new Unavailable({ message: `${platformName(platform)} did not answer in time` })

const restored = (platform: LivePlatform) =>
  new Unavailable({
    message: `${platformName(platform)} is not asked before publishing goes on, because the database was restored`
  })

const make = Effect.gen(function* () {
  const { integrations, publishingState } = yield* Repo
  const adapters = yield* PlatformClient
  const { inTurn } = makeWorkspaceTurns(questions)

  const ask = ({ platform, workspaceId, ...account }: Asked): Effect.Effect<PostingOptions | null, Failure> => {
    const { postingOptions } = adapters[platform]
    if (postingOptions === undefined) return Effect.succeed(null)
    // Platforms whose accounts have servers of their own ask nothing.
    const answer = postingOptions(accountAccess(integrations, { ...account, serviceUrl: null }))
    // A restored database has old tokens. Renewing them would end those of the service that it is a copy of.
    return Effect.flatMap(publishingState.hold, (hold) => (Option.isSome(hold) ? restored(platform) : answer)).pipe(
      Effect.timeoutOrElse({ duration: timeout, orElse: () => late(platform) }),
      withinWait(inTurn(workspaceId), maxWait, late(platform))
    )
  }

  const cache = yield* Cache.makeWith(ask, {
    capacity,
    timeToLive: (exit) =>
      Exit.isSuccess(exit) ? timeToLive.known : Exit.hasInterrupts(exit) ? Duration.zero : timeToLive.failed
  })

  return (workspaceId: WorkspaceId, { account_id: accountId, id, platform, username }: Integration) =>
    Cache.get(cache, new Asked({ workspaceId, id, platform, accountId, username }))
})

/** Asks a platform what an account may choose for a post. Without this layer, nothing is asked. */
export const AskPostingOptions = Context.Reference<AskOptions>("social-publisher/accounts/AskPostingOptions", {
  defaultValue: () => () => Effect.succeed(null)
})

export const askPostingOptionsLayer = Layer.effect(AskPostingOptions, make)
