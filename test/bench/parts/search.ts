import { Effect } from "effect"
import { noFilters } from "../../../src/domain/posts/postList.ts"
import type { WorkspaceId } from "../../../src/domain/ids.ts"
import { makePostScan } from "../../../src/http/handlers/postScan.ts"
import type { ScannedBatch, ScanPosition } from "../../../src/repo/posts/Posts.ts"
import type { Repo } from "../../../src/repo/Repo.ts"
import type { Section } from "../support/options.ts"
import { median } from "../support/statistics.ts"
import { timed } from "../support/timed.ts"

interface Store {
  readonly repo: Repo["Service"]
  readonly workspaceId: WorkspaceId
  /** The number of posts in the workspace. */
  readonly posts: number
}

const pageSize = 20
const repetitions = 5

const texts = [
  { name: "in every post", text: "WHAT is new" },
  { name: "two letters, in none", text: "qz" },
  { name: "in none", text: "quaternion" },
  { name: "Japanese, in none", text: "日本語" },
  { name: "200 letters, in none", text: "é".repeat(200) }
]

/** The time of the first page with a text, and if no post has it, the time of all pages to the end of the list. */
export const measureSearch = Effect.fn("measureSearch")(function* (
  { posts, repo, workspaceId }: Store,
  rounds: number
) {
  const pages = Effect.fnUntraced(function* (text: string, count: number) {
    const fetch = makePostScan((step) =>
      repo.posts.scan(workspaceId, {
        ...step,
        filters: { ...noFilters, text },
        sort: "created_at",
        order: "desc"
      })
    )
    let after: ScanPosition | null = null
    for (let page = 0; page < count; page++) {
      const found: ScannedBatch = yield* fetch({ limit: pageSize, maxBytes: 1_000_000, after })
      if (found.stoppedAt === undefined) return
      after = { ...found.stoppedAt, tried: 0 }
    }
  })
  const rows = yield* Effect.forEach(texts, ({ name, text }) =>
    Effect.gen(function* () {
      const first = new Array<number>()
      const all = new Array<number>()
      for (let repetition = 0; repetition <= rounds * repetitions; repetition++) {
        const [page] = yield* timed(pages(text, 1))
        // The first repetition only fills the caches.
        if (repetition > 0) first.push(page)
      }
      for (let round = 0; round < rounds; round++) {
        const [whole] = yield* timed(pages(text, Number.POSITIVE_INFINITY))
        all.push(whole)
      }
      return { text: name, "first page, ms": median(first), "until the end or a full page, ms": median(all) }
    })
  )
  return {
    title: "Search",
    notes: `Pages of ${pageSize} posts by a text, of a workspace with ${posts.toLocaleString("en-US")} posts in the larger database, medians.`,
    rows
  } satisfies Section
})
