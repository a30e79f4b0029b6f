import { Clock, DateTime, Duration, Effect, Predicate } from "effect"
import type { IntegrationId, PostId, WorkspaceId } from "../../src/domain/ids.ts"
import type { PostPatch } from "../../src/domain/newPost.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { planCreate, planPublish, planUpdate } from "../../src/domain/postPlan.ts"
import { short } from "./ids.ts"
import { makeMachine } from "./machine.ts"
import type { Promises } from "./promises.ts"
import type { IntegrationRow } from "./rows.ts"
import type { Surroundings } from "./service.ts"
import { simulatedRepo } from "./simulatedRepo.ts"

/** The people who plan posts, on a process of the API of their own, whose way to the database is as bad as any. */
export interface Operators {
  /** Orders a post for a time that is `wait` milliseconds ahead; a draft where there is none. */
  readonly create: (
    account: WorkspaceId,
    platforms: ReadonlyArray<LivePlatform>,
    wait: number | null
  ) => Effect.Effect<void>
  /** Does something to the post that was ordered as the given one, if it was stored. */
  readonly meddle: (index: number) => Effect.Effect<void>
  /** Looks at what has failed, connects accounts again, and orders some posts again. */
  readonly review: Effect.Effect<void>
  readonly reconnectAll: Effect.Effect<void>
}

type Meddling = "later" | "sooner" | "draft" | "rewrite" | "publish" | "delete"

interface Ordered {
  readonly workspace: WorkspaceId
  readonly id: PostId
  readonly number: number
  texts: number
}

export const makeOperators = (surroundings: Surroundings, promises: Promises): Effect.Effect<Operators> =>
  Effect.gen(function* () {
    const { bluesky, database, ids, world, x } = surroundings
    const { dice } = world
    const office = makeMachine(world, "office", surroundings.calm ? 0 : dice.between(-20_000, 20_000), false)
    const { reconnect, repo } = yield* simulatedRepo(world, database, office, ids)
    const ordered: Array<Ordered> = []
    let number = 0

    /** Tries what a person orders; sometimes again where the service was away, as people and clients do. */
    const order = (what: string, effect: Effect.Effect<unknown, { readonly _tag: string }>, repeatable = true) => {
      world.note("office", what)
      const tried = Effect.retry(effect, {
        times: repeatable && dice.chance(0.5) ? 3 : 0,
        while: Predicate.isTagged("DatabaseUnavailable")
      })
      return tried.pipe(
        Effect.match({
          onFailure: (error) => {
            world.count(`order refused: ${error._tag}`)
            world.note("office", `${what} → ${error._tag}`)
          },
          onSuccess: () => world.note("office", `${what} → done`)
        }),
        Effect.provideService(Clock.Clock, office.clock)
      )
    }

    const textOf = (post: number, version: number) => `Post ${post}${version === 1 ? "" : `, text ${version}`}`

    const create: Operators["create"] = (workspace, platforms, wait) =>
      Effect.suspend(() => {
        number += 1
        const own = number
        const write = Effect.gen(function* () {
          const now = yield* DateTime.now
          const time = wait === null ? {} : { schedule_at: DateTime.addDuration(now, Duration.millis(wait)) }
          const plan = yield* Effect.fromResult(planCreate({ content: textOf(own, 1), platforms, ...time }, now))
          const { id } = yield* repo.posts.create(workspace, plan)
          promises.acknowledged(id)
          ordered.push({ workspace, id, number: own, texts: 1 })
        })
        // A client that repeats this without an idempotency key orders a second post, so it does not.
        return order(`orders post ${own}`, write, false)
      })

    const patch = (post: Ordered, what: string, change: PostPatch) =>
      order(
        `${what} post ${short(post.id)}`,
        Effect.flatMap(DateTime.now, (now) =>
          repo.posts.update(post.workspace, post.id, (stored) => planUpdate(stored, change, now))
        )
      )

    const publish = (post: Ordered) =>
      order(`publishes post ${short(post.id)} now`, repo.posts.publish(post.workspace, post.id, planPublish))

    const inMinutes = (minutes: number) =>
      DateTime.makeUnsafe(office.clock.currentTimeMillisUnsafe() + minutes * 60_000)

    const meddle: Operators["meddle"] = (index) =>
      Effect.suspend(() => {
        const post = ordered[index]
        if (post === undefined) return Effect.void
        switch (
          dice.pick<Meddling>(["later", "sooner", "draft", "rewrite", "publish", "publish", "delete", "delete"])
        ) {
          case "later":
            return patch(post, "puts off", { scheduled_at: inMinutes(dice.between(5, 90)), status: "scheduled" })
          case "sooner":
            return patch(post, "brings forward", { scheduled_at: inMinutes(0), status: "scheduled" })
          case "draft":
            return patch(post, "makes a draft of", { status: "draft" })
          case "rewrite":
            post.texts += 1
            return patch(post, "rewrites", { content: textOf(post.number, post.texts) })
          case "publish":
            return publish(post)
          case "delete":
            return order(`deletes post ${short(post.id)}`, repo.posts.remove(post.workspace, post.id))
        }
      })

    const connectAgain = ({ accountId, id, platform }: IntegrationRow) =>
      Effect.suspend(() =>
        order(`connects ${platform} again`, reconnect(id, (platform === "twitter" ? x : bluesky).connect(accountId)))
      )

    const review = Effect.suspend(() => {
      const accounts = [...database.committed.integrations.values()].filter(({ status }) => status !== "connected")
      const failed = ordered.filter(({ id }) => database.committed.posts.get(id)?.status === "failed")
      return Effect.andThen(
        Effect.forEach(
          accounts.filter(() => dice.chance(0.7)),
          connectAgain,
          { discard: true }
        ),
        Effect.forEach(
          failed.filter(() => dice.chance(0.5)),
          publish,
          { discard: true }
        )
      )
    })

    const reconnectAll = Effect.suspend(() =>
      Effect.forEach(
        [...database.committed.integrations.values()].filter(({ status }) => status !== "connected"),
        connectAgain,
        { discard: true }
      )
    )

    return { create, meddle, review, reconnectAll }
  })

/** The accounts of a team, connected on both platforms. */
export const addTeam = ({ bluesky, database, ids, x }: Surroundings): WorkspaceId => {
  const workspace = ids.workspace()
  const setUp = database.begin("set-up")
  const add = (platform: LivePlatform, id: IntegrationId) => {
    const accountId = `${platform}-${short(id)}`
    const credentials = (platform === "twitter" ? x : bluesky).connect(accountId)
    setUp.integrations.put(id, {
      id,
      workspaceId: workspace,
      platform,
      accountId,
      username: "team",
      status: "connected",
      credentials,
      version: 1
    })
  }
  add("twitter", ids.integration())
  add("bluesky", ids.integration())
  database.commit(setUp, "set-up")
  return workspace
}
