import { DateTime, Duration, Effect, Option, Schema } from "effect"
import type { DatabaseUnavailable } from "../../domain/errors.ts"
import { type PlatformError, RateLimited } from "../../domain/publishing/platformError.ts"
import { readResponse } from "../call.ts"
import { type MetaApi, readFrom } from "../meta/api.ts"
import type { AccountAccess } from "../PlatformClient.ts"
import { instagram as facts } from "./facts.ts"

const readQuota = readResponse(
  Schema.Struct({
    data: Schema.Tuple([Schema.Struct({ quota_usage: Schema.Int, config: Schema.Struct({ quota_total: Schema.Int }) })])
  })
)

/** Posts of the last 24 hours count, so places become free one by one. */
const wait = Duration.minutes(30)

/**
 * Fails with RateLimited if the account has published its posts of the day. Meta's pages name different limits, so the
 * account's own is read. If it can't be read, the publication tells.
 */
export const makeRequireQuota = ({ ask }: Pick<MetaApi, "ask">) =>
  Effect.fn("Instagram.requireQuota")(function* (
    account: AccountAccess
  ): Effect.fn.Return<void, PlatformError | DatabaseUnavailable> {
    const path = `/${account.accountId}/content_publishing_limit`
    const response = yield* ask(account, readFrom(path, { fields: "config,quota_usage" }))
    const quota = response.status === 200 ? readQuota(response) : Option.none()
    if (Option.isNone(quota)) return
    const [{ config, quota_usage: used }] = quota.value.data
    if (used < config.quota_total) return
    return yield* new RateLimited({
      message: `${facts.name} accepts ${config.quota_total} posts in 24 hours from this account, and it has published ${used}`,
      until: DateTime.addDuration(yield* DateTime.now, wait)
    })
  })
