import { Clock, DateTime, Duration, Effect, Predicate } from "effect"
import type { IntegrationId, PostId, WorkspaceId } from "../../src/domain/ids.ts"
import type { PostPatch } from "../../src/domain/posts/newPost.ts"
import type { MediaFile } from "../../src/domain/media/media.ts"
import type { NewPart } from "../../src/domain/posts/thread.ts"
import { hasThreads, needsFiles, needsVideo } from "../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../src/domain/platform.ts"
import { memberOf, pageOf } from "../../src/platforms/linkedin/standIn/accounts.ts"
import { standIns } from "../../src/platforms/standIns.ts"
import { shortId } from "./ids.ts"
import { imageOf, videoOf } from "./library.ts"
import type { Invariants } from "./invariants.ts"
import { makeMemoryRepo } from "./memoryRepo.ts"
import { makeProcess } from "./process.ts"
import { usualLifetime } from "./accessLifetimes.ts"
import type { Environment } from "./replica.ts"
import type { IntegrationRow } from "./rows.ts"
import type { World } from "./world.ts"
import { planCreate, planPublish, planUpdate } from "../support/plans.ts"

/**
 * Simulated users of the API. Their requests run in a process that never crashes, on a connection with the usual
 * faults.
 */
export interface Users {
  /** The post is due in `delay` milliseconds; if null, it is a draft. Other posts may have a shared text. */
  readonly create: (
    workspace: WorkspaceId,
    platforms: ReadonlyArray<LivePlatform>,
    delay: number | null,
    hasSharedText: boolean,
    /** The number of images. */
    files?: number,
    /** The number of parts after the first. */
    followers?: number
  ) => Effect.Effect<void>
  /** Draws a change and requests it for the post with this index, if there is one. */
  readonly change: (index: number) => Effect.Effect<void>
  /** Reconnects most disconnected accounts, and publishes some of the failed posts again. */
  readonly review: Effect.Effect<void>
  readonly reconnectAll: Effect.Effect<void>
  /** Replaces an account with another, or starts this by giving consent and then declines. */
  readonly connectAnother: Effect.Effect<void>
}

type Change = "later" | "sooner" | "draft" | "rewrite" | "publish" | "delete"

interface CreatedPost {
  readonly workspace: WorkspaceId
  readonly id: PostId
  readonly number: number
  readonly hasSharedText: boolean
  readonly followers: number
  textVersion: number
}

/** TikTok needs to know who can see a video. */
const forEverybody = { tiktok: { privacy_level: "PUBLIC_TO_EVERYONE" } } as const

export const makeUsers = (environment: Environment, invariants: Invariants): Effect.Effect<Users> =>
  Effect.gen(function* () {
    const { database, ids, servers, world } = environment
    const { prng } = world
    const process = makeProcess(world, "api", environment.faultFree ? 0 : prng.between(-20_000, 20_000), false)
    const { reconnect, connectAnother: replaceAccount, repo } = yield* makeMemoryRepo(world, database, process, ids)
    const created: Array<CreatedPost> = []
    const hasFiles = world.threads.chance(0.5)
    let posts = 0

    /** Sometimes retries if the database was unavailable, as clients do. */
    const request = (what: string, effect: Effect.Effect<unknown, { readonly _tag: string }>, isIdempotent = true) => {
      world.log("api", what)
      const response = Effect.retry(effect, {
        times: isIdempotent && prng.chance(0.5) ? 3 : 0,
        while: Predicate.isTagged("DatabaseUnavailable")
      })
      return response.pipe(
        Effect.match({
          onFailure: (error) => {
            world.count(`request failed: ${error._tag}`)
            world.log("api", `${what} → ${error._tag}`)
          },
          onSuccess: () => world.log("api", `${what} → done`)
        }),
        Effect.provideService(Clock.Clock, process.clock)
      )
    }

    const drawText = (post: number, version: number, isShared: boolean) => {
      if (!isShared || prng.chance(0.2)) return `Post ${post}${version === 1 ? "" : `, text ${version}`}`
      world.count("equal text")
      return `Again ${prng.between(1, 2)}`
    }

    /** One part may have a shared text, and some have an image or only one platform. */
    const drawThread = (
      post: number,
      version: number,
      {
        content,
        followers,
        isShared
      }: { readonly content: string; readonly followers: number; readonly isShared: boolean }
    ): { readonly parts: ReadonlyArray<NewPart>; readonly library: ReadonlyArray<MediaFile> } => {
      const { threads } = world
      if (followers === 0) return { parts: [], library: [] }
      world.count("thread")
      const shared = isShared && threads.chance(0.5) ? threads.between(1, followers) : 0
      const library: Array<MediaFile> = []
      const parts = Array.from({ length: followers }, (_, index): NewPart => {
        const file = hasFiles && threads.chance(0.3) ? imageOf(ids.file()) : undefined
        if (file !== undefined) library.push(file)
        const text = `Again ${threads.between(1, 2)}`
        const own = `Post ${post}, part ${index + 2}${version === 1 ? "" : `, text ${version}`}`
        return {
          content: index + 1 === shared && text !== content ? text : own,
          ...(file === undefined ? {} : { media: [{ id: file.id }] })
        }
      })
      return { parts, library }
    }

    const create: Users["create"] = (workspace, wanted, delay, hasSharedText, wantedFiles = 0, wantedFollowers = 0) =>
      Effect.suspend(() => {
        const withThreads = wanted.filter(hasThreads)
        const followers = withThreads.length === 0 ? 0 : wantedFollowers
        const platforms = followers > 0 ? withThreads : wanted
        const needsFile = platforms.some(needsFiles)
        const isVideo = platforms.some(needsVideo)
        const files = isVideo ? 1 : needsFile ? Math.max(1, wantedFiles) : wantedFiles
        posts += 1
        const number = posts
        const content = drawText(number, 1, hasSharedText)
        const own = Array.from({ length: files }, () => (isVideo ? videoOf : imageOf)(ids.file()))
        const thread = drawThread(number, 1, { content, followers, isShared: hasSharedText })
        const library = [...own, ...thread.library]
        const write = Effect.gen(function* () {
          const now = yield* DateTime.now
          const time = delay === null ? {} : { schedule_at: DateTime.addDuration(now, Duration.millis(delay)) }
          const plan = yield* Effect.fromResult(
            planCreate(
              {
                content,
                platforms,
                media: own.map(({ id }) => ({ id })),
                thread: thread.parts,
                ...(isVideo ? { platform_settings: { ...forEverybody, youtube: { title: content } } } : {}),
                ...time
              },
              now,
              library
            )
          )
          const { id } = yield* repo.posts.create(workspace, plan)
          invariants.onAcknowledged(id)
          created.push({ workspace, id, number, textVersion: 1, hasSharedText, followers })
        })
        // Without an idempotency key a retry could create a second post.
        return request(`creates post ${number}`, write, false)
      })

    const update = (post: CreatedPost, what: string, patch: PostPatch, added: ReadonlyArray<MediaFile> = []) =>
      request(
        `${what} post ${shortId(post.id)}`,
        Effect.flatMap(DateTime.now, (now) =>
          repo.posts.update(post.workspace, post.id, (stored, library) =>
            planUpdate(stored, patch, now, [...library, ...added])
          )
        )
      )

    const publish = (post: CreatedPost) =>
      request(`publishes post ${shortId(post.id)} now`, repo.posts.publish(post.workspace, post.id, planPublish))

    const inMinutes = (minutes: number) =>
      DateTime.makeUnsafe(process.clock.currentTimeMillisUnsafe() + minutes * 60_000)

    /** Changes only the first text of a thread, or the texts and files of all its parts. */
    const rewrite = (post: CreatedPost) => {
      const { followers, hasSharedText: isShared, number, textVersion } = post
      const content = drawText(number, textVersion, isShared)
      if (followers === 0 || world.threads.chance(0.3)) return update(post, "rewrites", { content })
      const { library, parts } = drawThread(number, textVersion, { content, followers, isShared })
      return update(post, "rewrites", { content, thread: parts }, library)
    }

    const change: Users["change"] = (index) =>
      Effect.suspend(() => {
        const post = created[index]
        if (post === undefined) return Effect.void
        switch (prng.pick<Change>(["later", "sooner", "draft", "rewrite", "publish", "publish", "delete", "delete"])) {
          case "later":
            return update(post, "postpones", { scheduled_at: inMinutes(prng.between(5, 90)), status: "scheduled" })
          case "sooner":
            return update(post, "brings forward", { scheduled_at: inMinutes(0), status: "scheduled" })
          case "draft":
            return update(post, "unschedules", { status: "draft" })
          case "rewrite":
            post.textVersion += 1
            return rewrite(post)
          case "publish":
            return publish(post)
          case "delete":
            return request(`deletes post ${shortId(post.id)}`, repo.posts.remove(post.workspace, post.id))
        }
      })

    const relink = ({ accountId, id, platform }: IntegrationRow) =>
      Effect.suspend(() => request(`connects ${platform} again`, reconnect(id, servers[platform].authorize(accountId))))

    const disconnectedAccounts = () =>
      [...database.committed.integrations.values()].filter(({ status }) => status !== "connected")

    const review = Effect.suspend(() => {
      const accounts = disconnectedAccounts()
      const failed = created.filter(({ id }) => database.committed.posts.get(id)?.status === "failed")
      return Effect.andThen(
        Effect.forEach(
          accounts.filter(() => prng.chance(0.7)),
          relink,
          { discard: true }
        ),
        Effect.forEach(
          failed.filter(() => prng.chance(0.5)),
          publish,
          { discard: true }
        )
      )
    })

    const reconnectAll = Effect.suspend(() => Effect.forEach(disconnectedAccounts(), relink, { discard: true }))

    let others = 0
    const connectAnother = Effect.suspend(() => {
      const rows = [...database.committed.integrations.values()]
      const integration = rows[prng.between(0, rows.length - 1)]
      if (integration === undefined) return Effect.void
      others += 1
      const { id, platform } = integration
      const accountId = accountOn(world, platform, `other-${others}`)
      const credentials = servers[platform].authorize(accountId)
      if (prng.chance(0.2)) return Effect.void
      world.count("another account connected")
      const asDrafts =
        prng.chance(0.4) && [...database.committed.posts.values()].every(({ status }) => status !== "publishing")
      const what = `connects ${accountId}${asDrafts ? " and makes what is scheduled drafts" : ""}`
      return request(what, replaceAccount(id, { accountId, credentials }, asDrafts))
    })

    return { create, change, review, reconnectAll, connectAnother }
  })

/** Encodes the id as its platform writes it. On LinkedIn, half of the accounts are pages. */
const accountOn = ({ platforms }: World, platform: LivePlatform, name: string): string => {
  switch (platform) {
    case "twitter":
      return `twitter-${name}`
    case "bluesky":
      return `did:plc:${name}`
    case "linkedin":
      return (platforms.chance(0.5) ? pageOf(name) : memberOf(name)).id
    default:
      return standIns[platform].account(name).id
  }
}

/** Adds a workspace with a linked account on each platform. */
export const addWorkspace = ({ database, ids, platforms, servers, world }: Environment): WorkspaceId => {
  const workspace = ids.workspace()
  const setUp = database.begin()
  const add = (platform: LivePlatform, id: IntegrationId) => {
    const accountId = accountOn(world, platform, id)
    const credentials = servers[platform].authorize(accountId)
    database.accessUntil.set(id, world.now() + usualLifetime)
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
  for (const platform of platforms) add(platform, ids.integration())
  database.commit(setUp)
  return workspace
}
