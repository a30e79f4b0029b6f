import { Array as Arr, DateTime, Effect, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Author } from "../domain/people/actor.ts"
import { GroupId, type UserId, type WorkspaceId } from "../domain/ids.ts"
import type { Connections } from "../platforms/Connection.ts"
import { Repo } from "../repo/Repo.ts"
import { examples } from "./examples.ts"
import { atTime } from "./pastTime.ts"
import type { uploadPictures } from "./pictures.ts"
import { publishExample } from "./publishExample.ts"
import { timeOf, writtenAt } from "./times.ts"
import { type Scene, writeExample } from "./writeExample.ts"

interface DemoUser {
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
}

/** The API key that wrote the agent's drafts. Nobody knows its secret. */
const createAgent = Effect.fnUntraced(function* (workspaceId: WorkspaceId) {
  const { apiKeys } = yield* Repo
  const { stored } = yield* apiKeys.create({
    workspaceId,
    name: "Writing agent (example)",
    scopes: ["posts:read", "posts:write"],
    requiresApproval: true,
    expiresIn: null
  })
  return { type: "key", id: stored.id } as const
})

const nameGroups = Effect.gen(function* () {
  const random = yield* SecureRandom.SecureRandom
  const names = new Set(examples.flatMap(({ group }) => (group === undefined ? [] : [group])))
  const groups = yield* Effect.forEach(names, (name) =>
    Effect.map(random.uuidV4(), (id) => [name, GroupId.make(id)] as const)
  )
  return new Map(groups)
})

/**
 * Writes the example posts with their history: due examples are published or failed, and notifications exist. Sends
 * nothing. Call it in a transaction, so that the engine sees a due example only after it is published or failed.
 */
export const makeExamples = Effect.fn("makeExamples")(function* (
  { userId, workspaceId }: DemoUser,
  files: Effect.Success<ReturnType<typeof uploadPictures>>,
  platforms: Connections
) {
  const { notifications, posts } = yield* Repo
  const now = yield* DateTime.now
  const agent = yield* createAgent(workspaceId)
  const person: Author = { type: "user", id: userId }
  const mediaIds = [...files.values()]
  const library = yield* posts.readMedia(workspaceId, mediaIds)
  const scene: Scene = { workspaceId, person, agent, files, library, groups: yield* nameGroups }
  const planned = examples.map((example, number) => {
    const due = example.at === null ? null : timeOf(example.at, now)
    return { example, number, due, written: writtenAt(due, now, number) }
  })
  const make = Effect.fnUntraced(function* ({ due, example, number, written }: (typeof planned)[number]) {
    const postId = yield* writeExample(example, scene, { due, written })
    const shown = yield* publishExample(example, { workspaceId, postId, due, now, number }, platforms)
    return { postId, shown }
  })
  const yesterday = DateTime.subtract(now, { days: 1 })
  const [old, recent] = Arr.partition(planned, (each) =>
    each.due !== null && DateTime.isLessThan(each.due, yesterday) ? Result.succeed(each) : Result.fail(each)
  )
  const madeFirst = yield* Effect.forEach(old, make)
  yield* atTime(yesterday)(notifications.markAllRead({ workspaceId, userId }))
  const made = [...madeFirst, ...(yield* Effect.forEach(recent, make))]
  return {
    demo: { workspaceId, mediaIds, keyIds: [agent.id], postIds: made.map(({ postId }) => postId) },
    shown: made.flatMap(({ shown }) => shown).toSorted((left, right) => left.at - right.at)
  }
})
