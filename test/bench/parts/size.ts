import { Array as Arr, Context, Duration, Effect, Layer } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import { repoLayer } from "../../chaos/support/world.ts"
import { plan } from "../../support/database/fixtures.ts"
import { now } from "../support/answerParent.ts"
import { runSql, startDatabase } from "../support/database.ts"
import { accounts } from "../support/drain.ts"
import { insertDuePosts } from "../support/duePosts.ts"
import type { BenchOptions, Section } from "../support/options.ts"
import { progress } from "../support/progress.ts"
import { median, medianRatio } from "../support/statistics.ts"
import { insertPublished, makeTeams } from "../support/teams.ts"
import { timed } from "../support/timed.ts"
import { measureSearch } from "./search.ts"

const smallPosts = 10_000
/** The number of repetitions of each statement in a round; `claims` is the number of claims. */
const repetitions = 40
const claims = 15
const claimed = 100
const lease = Duration.minutes(3)
/** The number of posts per workspace in the smaller database. */
const pageSize = smallPosts / accounts
const maxBytes = 1_000_000

/** The number of posts in the searched workspace; at most half of the posts in the database. */
const searchedPosts = 100_000

/**
 * A database with `posts` published posts, and its Repo. Every post whose number is divisible by `every` belongs to the
 * first workspace.
 */
const openStore = Effect.fn("openStore")(function* (posts: number, every = 0) {
  const database = yield* startDatabase
  const teams = yield* makeTeams(database, accounts, ["twitter"])
  yield* insertPublished(database, posts, every)
  const repo = Context.get(yield* Layer.build(repoLayer(database.url)), Repo)
  return { posts, database, repo, workspaces: teams.map(({ workspaceId }) => workspaceId) }
})

type Store = Effect.Success<ReturnType<typeof openStore>>

/** The times of each statement in one round, in milliseconds. */
const measure = Effect.fn("measure")(function* ({ database, repo, workspaces }: Store, round: number) {
  const { posts, targets } = repo
  const times = {
    list: new Array<number>(),
    get: new Array<number>(),
    create: new Array<number>(),
    claim: new Array<number>(),
    settle: new Array<number>()
  }
  for (const workspaceId of Arr.take(Arr.drop(workspaces, round * repetitions), repetitions)) {
    const query = { status: null, limit: pageSize, maxBytes, before: null }
    const [list, page] = yield* timed(posts.list(workspaceId, query))
    const oldest = yield* Effect.fromOption(Arr.last(page.posts))
    const [get] = yield* timed(posts.get(workspaceId, oldest.id))
    const [create] = yield* timed(posts.create(workspaceId, plan(null)))
    times.list.push(list)
    times.get.push(get)
    times.create.push(create)
  }
  yield* insertDuePosts(database, { prefix: "Due", count: accounts, accounts, firstDue: now() - 1000, spacing: 0 })
  // In operation too, posts are stored and analyzed long before they are due.
  yield* runSql(database, "ANALYZE")
  for (let repetition = 0; repetition < claims; repetition++) {
    // If the statement timeout ends a claim, the claim still counts with its time.
    const [claim, taken] = yield* timed(
      Effect.catchTag(targets.claim(claimed, lease), "DatabaseUnavailable", () => Effect.succeed([]))
    )
    times.claim.push(claim)
    for (const [index, one] of taken.entries()) {
      const publication = { platformPostId: one.targetId, url: `https://x.com/status/${one.targetId}` }
      const [settle] = yield* timed(targets.settle(one, { _tag: "Published", publication }))
      if (index === 0) times.settle.push(settle)
    }
  }
  // Deletes the targets that were not claimed, so that each round has the same number of due posts.
  yield* runSql(database, "DELETE FROM posts WHERE status = 'scheduled'", "VACUUM ANALYZE")
  return times
})

type Times = Effect.Success<ReturnType<typeof measure>>

const titles = {
  get: "GET one",
  list: `GET list of ${pageSize}`,
  create: "POST create",
  claim: `claim of ${claimed}, ${accounts} due`,
  settle: "settlement with roll-up"
} satisfies Record<keyof Times, string>

/** The growth of the statements' times with the number of stored posts. Inserting millions of posts takes minutes. */
export const size = Effect.fn("size")(function* ({ posts, rounds }: BenchOptions) {
  const small = yield* openStore(smallPosts)
  const every = Math.max(2, Math.round(posts / searchedPosts))
  const large = yield* openStore(posts, every)
  const workspaceId = yield* Effect.fromOption(Arr.head(large.workspaces))
  const search = yield* measureSearch({ repo: large.repo, workspaceId, posts: Math.round(posts / every) }, rounds)
  const measured: Array<{ readonly small: Times; readonly large: Times }> = []
  for (let round = 0; round <= rounds; round++) {
    yield* progress(`round ${round}`)
    const both = { small: yield* measure(small, round), large: yield* measure(large, round) }
    // The first round only compiles the code and fills the caches.
    if (round > 0) measured.push(both)
  }
  const names = ["get", "list", "create", "claim", "settle"] as const
  const rows = names.map((name) => {
    const ofSmall = measured.map((both) => median(both.small[name]))
    const ofLarge = measured.map((both) => median(both.large[name]))
    return {
      statement: titles[name],
      [`${smallPosts.toLocaleString("en-US")} posts, ms`]: median(ofSmall),
      [`${posts.toLocaleString("en-US")} posts, ms`]: median(ofLarge),
      ratio: medianRatio(ofLarge, ofSmall)
    }
  })
  return [
    {
      title: "Size",
      notes: `The repository's statements one after the other, on two databases in turn; ${rounds} rounds of ${repetitions} and of ${claims} claims, medians.`,
      rows
    } satisfies Section,
    search
  ]
})
