import { assert, layer } from "@effect/vitest"
import { Array as Arr, DateTime, Effect, Order } from "effect"
import { SqlClient } from "effect/sql"
import { CreatorId, type PostId, type WorkspaceId } from "../../../src/domain/ids.ts"
import { noFilters, type PostFilters, type SortedPosition } from "../../../src/domain/posts/postList.ts"
import type { Posts, PostSearch, ScannedBatch } from "../../../src/repo/posts/Posts.ts"
import { makeSearchPosts } from "../../../src/repo/posts/searchPosts.ts"
import { Repo } from "../../../src/repo/Repo.ts"
import { makeWorkspace } from "../../support/database/fixtures.ts"
import {
  after,
  creators,
  groups,
  insertRandomPosts,
  type ListedPost,
  pick,
  platforms,
  statuses,
  tags
} from "../../support/database/randomPosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { seededRandom } from "../../support/generated/seededRandom.ts"

type ListOf = Pick<PostSearch, "filters" | "sort" | "order">

const isWithin = (time: DateTime.Utc | null, from: DateTime.Utc | null, to: DateTime.Utc | null): boolean =>
  (from === null || (time !== null && DateTime.isGreaterThanOrEqualTo(time, from))) &&
  (to === null || (time !== null && DateTime.isLessThan(time, to)))

/** Folds case by JavaScript's own rules, which suffice for `values`. */
const folded = (text: string): string => text.normalize("NFC").toUpperCase().toLowerCase()

const hasText = ({ content, overrides, tags: own }: ListedPost, text: string): boolean =>
  [content, ...Object.values(overrides), ...own].some((each) => folded(each).includes(folded(text)))

const fits = (post: ListedPost, filters: PostFilters): boolean =>
  (filters.status === null || post.status === filters.status) &&
  (filters.groupId === null || post.groupId === filters.groupId) &&
  (filters.tag === null || post.tags.includes(filters.tag)) &&
  (filters.platform === null || post.platforms.includes(filters.platform)) &&
  isWithin(post.scheduledAt, filters.scheduledFrom, filters.scheduledTo) &&
  isWithin(post.createdAt, filters.createdFrom, filters.createdTo) &&
  (filters.approval === null ||
    (post.status === "draft" && (post.approval === "requested" || post.approval === "old"))) &&
  (filters.time === null || post.scheduledAt === null) &&
  (filters.createdBy === null || post.createdBy === filters.createdBy) &&
  (filters.text === null || hasText(post, filters.text))

const byId = Order.mapInput(Order.String, (post: ListedPost) => post.id)
const byTime = Order.combine(
  Order.mapInput(Order.Number, (post: ListedPost) =>
    post.scheduledAt === null ? 0 : DateTime.toEpochMillis(post.scheduledAt)
  ),
  byId
)

/** The posts of a list, by its definition. */
const expectedIds = (posts: ReadonlyArray<ListedPost>, { filters, order, sort }: ListOf): ReadonlyArray<PostId> => {
  const ascending = sort === "created_at" ? byId : byTime
  const listed = posts.filter((post) => fits(post, filters) && (sort === "created_at" || post.scheduledAt !== null))
  return Arr.sort(listed, order === "asc" ? ascending : Order.flip(ascending)).map(({ id }) => id)
}

/** Reads a list page by page. `between` runs after each page. */
const walk = Effect.fnUntraced(function* (
  search: Posts["search"],
  workspaceId: WorkspaceId,
  list: ListOf,
  limit: number,
  between: Effect.Effect<unknown> = Effect.void
) {
  const ids: Array<PostId> = []
  let position: SortedPosition | null = null
  for (;;) {
    const page: Effect.Success<ReturnType<Posts["search"]>> = yield* search(workspaceId, {
      ...list,
      limit,
      maxBytes: 1e6,
      after: position
    })
    ids.push(...page.posts.map(({ id }) => id))
    position = page.posts.at(-1) ?? position
    if (!page.more) return ids
    yield* between
  }
})

const unknownCreator = CreatorId.make("01a1fc17-dc2e-777d-ad63-0000000000cc")

/** Reads a list by scans that check `maxTried` posts each. */
const walkScan = Effect.fnUntraced(function* (
  scan: Posts["scan"],
  workspaceId: WorkspaceId,
  list: ListOf,
  limit: number,
  maxTried: number
) {
  const ids: Array<PostId> = []
  let position: SortedPosition | null = null
  for (;;) {
    const found: ScannedBatch = yield* scan(workspaceId, {
      ...list,
      limit,
      maxBytes: 20_000,
      after: position,
      maxTried
    })
    ids.push(...found.posts.map(({ id }) => id))
    assert.isAtMost(found.posts.length, limit)
    position = found.stoppedAt ?? found.posts.at(-1) ?? position
    if (!found.more) return ids
  }
})

/** Each filter's tested values: some occur in posts, and one does not. */
const values: { readonly [Name in keyof PostFilters]: ReadonlyArray<PostFilters[Name]> } = {
  status: statuses,
  groupId: groups,
  tag: [...tags, "unknown"],
  platform: [...platforms, "linkedin"],
  scheduledFrom: [after(0), after(11), after(30)],
  scheduledTo: [after(0), after(12), after(30)],
  createdFrom: [after(0), after(20), after(100)],
  createdTo: [after(0), after(30), after(100)],
  approval: ["requested"],
  time: ["none"],
  createdBy: [...creators, unknownCreator],
  text: ["hello", "lo 1", "0%", "STRASSE", "fé 日", "日", "REL", ',"', "h%o", "h_llo"]
}

const filterNames = [
  "status",
  "groupId",
  "tag",
  "platform",
  "scheduledFrom",
  "scheduledTo",
  "createdFrom",
  "createdTo",
  "approval",
  "time",
  "createdBy",
  "text"
] as const

const randomFilters = (random: () => number, names: ReadonlyArray<keyof PostFilters>): PostFilters => ({
  ...noFilters,
  ...Object.fromEntries(names.map((name) => [name, pick<unknown>(random, values[name])]))
})

const orders = [
  { sort: "created_at", order: "desc" },
  { sort: "created_at", order: "asc" },
  { sort: "scheduled_at", order: "desc" },
  { sort: "scheduled_at", order: "asc" }
] as const

/** Every filter alone, every pair, and 12 random sets. */
const filterSets = [
  ...filterNames.map((name) => [name]),
  ...filterNames.flatMap((one, index) => filterNames.slice(index + 1).map((other) => [one, other])),
  ...Array.from({ length: 12 }, (_, seed) => seededRandom(seed)).map((random) =>
    filterNames.filter(() => random() < 0.3)
  )
]

layer(repoLayer)("lists of posts by filters and order", (it) => {
  it.effect.each([
    { name: "trying posts in their order alone", tried: 2_000 },
    { name: "looking for rare matches by other indexes", tried: 3 }
  ])("Each filter, pair and random set of filters lists what matches it in every order, when $name", ({ tried }) =>
    Effect.gen(function* () {
      const random = seededRandom(tried)
      const search = yield* makeSearchPosts(tried)
      const workspaceId = yield* makeWorkspace()
      const posts = yield* insertRandomPosts(workspaceId, random, 80)
      yield* insertRandomPosts(yield* makeWorkspace(), random, 30)
      const { posts: stored } = yield* Repo
      for (const names of filterSets) {
        const filters = randomFilters(random, names)
        for (const order of orders) {
          const list = { filters, ...order }
          const listed = yield* walk(search, workspaceId, list, 5 + Math.floor(random() * 40))
          assert.deepStrictEqual(listed, expectedIds(posts, list), JSON.stringify(list))
          if (tried === 3 && (names.includes("text") || names.includes("createdBy"))) {
            const scanned = yield* walkScan(
              stored.scan,
              workspaceId,
              list,
              5 + Math.floor(random() * 40),
              20 + Math.floor(random() * 80)
            )
            assert.deepStrictEqual(scanned, listed, JSON.stringify(list))
          }
        }
      }
    })
  )

  it.effect("A scan that tries one post at a time finds the same, and says where it is although it found nothing", () =>
    Effect.gen(function* () {
      const random = seededRandom(7)
      const { posts: stored } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      const posts = yield* insertRandomPosts(workspaceId, random, 20)
      const list = { filters: { ...noFilters, text: "hello" }, sort: "created_at", order: "desc" } as const
      assert.deepStrictEqual(yield* walkScan(stored.scan, workspaceId, list, 5, 1), expectedIds(posts, list))
      const newestFirst = Arr.sort(posts, Order.flip(byId))
      const nothing = yield* stored.scan(workspaceId, {
        ...list,
        filters: { ...noFilters, text: "nowhere" },
        limit: 5,
        maxBytes: 1e6,
        after: null,
        maxTried: 7
      })
      const last = yield* Effect.fromNullishOr(newestFirst[6])
      assert.deepStrictEqual(nothing, {
        posts: [],
        more: true,
        stoppedAt: { id: last.id, scheduledAt: last.scheduledAt, tried: 7 }
      })
    })
  )

  it.effect.each(orders.map((order, seed) => ({ ...order, seed })))(
    "Posts that are created while a list by $sort, $order is read move none of the others",
    ({ seed, ...order }) =>
      Effect.gen(function* () {
        const random = seededRandom(100 + seed)
        const search = yield* makeSearchPosts(3)
        const workspaceId = yield* makeWorkspace()
        const posts = yield* insertRandomPosts(workspaceId, random, 60)
        const list = { filters: { ...noFilters, platform: "twitter" } as const, ...order }
        const added: Array<PostId> = []
        const insert = insertRandomPosts(workspaceId, random, 3).pipe(
          Effect.tap((inserted) => Effect.sync(() => added.push(...inserted.map(({ id }) => id)))),
          Effect.provideService(SqlClient.SqlClient, yield* SqlClient.SqlClient),
          Effect.orDie
        )
        const listed = yield* walk(search, workspaceId, list, 4, insert)
        assert.deepStrictEqual(
          listed.filter((id) => !added.includes(id)),
          expectedIds(posts, list)
        )
        assert.lengthOf(listed, new Set(listed).size)
      })
  )
})
