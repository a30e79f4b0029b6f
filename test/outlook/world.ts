import { DateTime, type Duration, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AskAccount } from "../../src/accounts/AskAccount.ts"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import type { AccountAnswer } from "../../src/domain/outlook/accountFindings.ts"
import type { LinkAnswer, MentionAnswer } from "../../src/domain/outlook/answers.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import type { PostPlan } from "../../src/domain/posts/postPlan.ts"
import { findEntities } from "../../src/domain/posts/text/entities.ts"
import { CheckFiles } from "../../src/outlook/CheckFiles.ts"
import { CheckLinks } from "../../src/outlook/CheckLinks.ts"
import { Outlook } from "../../src/outlook/Outlook.ts"
import { CurrentRules, makeRules } from "../../src/platforms/rules.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { repoLayer } from "../support/database/testDatabase.ts"

const enabled = ["twitter", "bluesky", "linkedin", "threads", "facebook"] as const

/** The answers from outside of the database. */
export interface Outside {
  readonly accounts: Partial<Record<LivePlatform, AccountAnswer>>
  readonly links: Readonly<Record<string, LinkAnswer>>
  readonly mentions: Readonly<Record<string, MentionAnswer>>
  readonly missingFiles: ReadonlyArray<string>
  /** The workspace whose platforms never answer. */
  readonly hangsFor?: WorkspaceId
}

const allFine: Outside = { accounts: {}, links: {}, mentions: {}, missingFiles: [] }

const mentionsIn = (text: string): ReadonlyArray<string> =>
  findEntities(text).flatMap(({ feature }) => (feature._tag === "Mention" ? [feature.handle] : []))

const rulesLayer = Layer.succeed(CurrentRules, makeRules({}, enabled))

const outsideLayer = ({ accounts, hangsFor, links, mentions, missingFiles }: Outside) =>
  Layer.mergeAll(
    Layer.succeed(AskAccount, {
      askAccount: (workspaceId, { platform }) =>
        workspaceId === hangsFor ? Effect.never : Effect.succeed(accounts[platform] ?? { _tag: "Accepted" }),
      findMentions: (platform, text) => (platform === "bluesky" ? mentionsIn(text) : []),
      askMention: (_, __, handle) => Effect.succeed(mentions[handle] ?? { _tag: "Known" })
    }),
    Layer.succeed(CheckLinks, (_, url) => Effect.succeed(links[url] ?? { _tag: "Answers" })),
    Layer.succeed(CheckFiles, (_, hash) => Effect.succeed(missingFiles.includes(hash) ? "missing" : "kept"))
  )

export const outlookLayer = (outside: Partial<Outside> = {}) =>
  Outlook.layer.pipe(Layer.provide(outsideLayer({ ...allFine, ...outside })), Layer.provide(rulesLayer))

export const worldLayer = Layer.provideMerge(repoLayer, rulesLayer)

/** Two hours before the check in UTC. */
export const afternoon = DateTime.makeUnsafe("1970-01-01T15:00:00Z")

export const start = Effect.gen(function* () {
  yield* TestClock.setTime(afternoon.epochMilliseconds)
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM outlooks`
  yield* sql`DELETE FROM posts`
  const { outlooks, posts } = yield* Repo
  const workspaceId = yield* makeWorkspace([...enabled])
  yield* outlooks.plan(1_000)
  // Workspaces of earlier tests have nothing to tell.
  yield* sql`UPDATE outlooks SET hour = NULL, due_at = NULL, next_at = NULL WHERE workspace_id <> ${workspaceId}::uuid`

  let texts = 0
  /** Each has a text of its own, an hour after the one before. */
  const add = Effect.fnUntraced(function* (
    platform: LivePlatform,
    extra: Partial<PostPlan> = {},
    within?: Duration.Input
  ) {
    texts += 1
    const at = DateTime.addDuration(afternoon, within ?? `${2 + texts} hours`)
    const { id } = yield* posts.create(workspaceId, {
      ...plan(at, [platform]),
      content: `Post number ${texts}`,
      ...extra
    })
    return id
  })
  return { sql, workspaceId, add }
})

/** All rows that a check reads. */
export const allRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows: Record<string, unknown> = {}
  for (const table of ["posts", "post_targets", "integrations", "media", "post_media", "events", "post_approvals"]) {
    rows[table] = yield* sql`SELECT to_jsonb(t) AS row FROM ${sql(table)} t ORDER BY 1`
  }
  return rows
})

export const notificationsOf = (workspaceId: WorkspaceId) =>
  Effect.flatMap(Repo, ({ notifications }) => Effect.map(notifications.page(workspaceId, 0, 10), ({ data }) => data))
