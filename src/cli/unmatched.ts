import { Console, type DateTime, Effect, Result } from "effect"
import { Backups } from "../backup/Backups.ts"
import { accountName, platformName } from "../domain/plain/platforms.ts"
import { LivePlatform } from "../domain/platform.ts"
import { NeedsReauthorization } from "../domain/publishing/platformError.ts"
import { type Account, type PlatformAdapter, PlatformClient, type UnmatchedPosts } from "../platforms/PlatformClient.ts"
import { Repo } from "../repo/Repo.ts"
import { accountAccess } from "../accounts/accountAccess.ts"
import { printTable } from "./output.ts"

const concurrency = 4

/** The posts on one account that this service did not send, as far as they could be read. */
export interface AccountReport extends UnmatchedPosts {
  readonly platform: LivePlatform
  readonly account: string
  readonly error: string | null
}

const readPlatform = Effect.fnUntraced(function* (
  platform: LivePlatform,
  unmatched: NonNullable<PlatformAdapter["unmatched"]>,
  since: DateTime.Utc,
  until: DateTime.Utc
) {
  const { timelines } = yield* Backups
  const { integrations } = yield* Repo
  const accounts = yield* timelines.accounts(platform)
  return yield* Effect.forEach(
    accounts,
    Effect.fnUntraced(function* ({ accountId, connected, id, serviceUrl, username }) {
      const account: Account = {
        ...accountAccess(integrations, { id, accountId, username, serviceUrl }),
        others: {
          published: (ids) => timelines.published({ platform, accountId }, ids),
          unresolved: () => timelines.texts({ platform, accountId })
        }
      }
      const read = connected
        ? unmatched(account, since, until)
        : new NeedsReauthorization({ message: "The account has to be connected again" })
      const report = Result.match(yield* Effect.result(read), {
        onSuccess: (found) => ({ ...found, error: null }),
        onFailure: ({ message }) => ({ posts: [], complete: false, error: message })
      })
      return { platform, account: username, ...report } satisfies AccountReport
    }),
    { concurrency }
  )
})

export const readUnmatched = Effect.fn("readUnmatched")(function* (since: DateTime.Utc, until: DateTime.Utc) {
  const client = yield* PlatformClient
  const reports = yield* Effect.forEach(LivePlatform.literals, (platform) => {
    const { unmatched } = client[platform]
    return unmatched === undefined ? Effect.succeed([]) : readPlatform(platform, unmatched, since, until)
  })
  return reports.flat()
})

const textStart = (text: string): string => (text.length > 60 ? `${Array.from(text).slice(0, 60).join("")}…` : text)

export const postRecords = ({ account, platform, posts }: AccountReport) =>
  posts.map(({ createdAt, id, text }) => ({ platform, account, id, created_at: createdAt, text: textStart(text) }))

export const printUnmatched = Effect.fnUntraced(function* (reports: ReadonlyArray<AccountReport>) {
  for (const { account, complete, error, platform } of reports) {
    const name = `${accountName(platform, account)} on ${platformName(platform)}`
    if (error !== null) yield* Console.log(`${name} could not be read: ${error}`)
    else if (!complete) yield* Console.log(`${name} has more posts than were read; these are the newest.`)
  }
  const records = reports.flatMap(postRecords)
  if (records.length === 0) return
  yield* Console.log("\nNo post of this service matches these, which were posted since the backup was taken:\n")
  yield* printTable(false, records, "")
})
