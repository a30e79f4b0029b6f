import { DateTime, Duration, Effect, Result } from "effect"
import type { Author } from "../domain/people/actor.ts"
import { scopeAuthority } from "../domain/people/authority.ts"
import type { GroupId, MediaId, PostId, WorkspaceId } from "../domain/ids.ts"
import type { Library } from "../domain/media/mediaPlan.ts"
import type { PostPatch } from "../domain/posts/newPost.ts"
import { enabledPlatforms } from "../domain/enabled.ts"
import { firstRevision, planCreate, planUpdate, type StoredPost } from "../domain/posts/postPlan.ts"
import { Notifier } from "../notifier/Notifier.ts"
import type { Rules } from "../domain/posts/platformRules.ts"
import { CurrentRules } from "../platforms/rules.ts"
import { Repo } from "../repo/Repo.ts"
import { type Example, platformsFor } from "./examples.ts"
import { atTime } from "./pastTime.ts"
import type { PictureName } from "./pictures.ts"

const exampleTag = "example"

export interface Scene {
  readonly workspaceId: WorkspaceId
  readonly person: Author
  readonly agent: Author
  readonly files: ReadonlyMap<PictureName, MediaId>
  readonly library: Library
  readonly groups: ReadonlyMap<string, GroupId>
}

export interface Times {
  readonly due: DateTime.Utc | null
  readonly written: DateTime.Utc
}

const isByAgent = ({ story }: Example): boolean => ["Submitted", "Approved", "Rejected"].includes(story._tag)

const planFirst = (rules: Rules, example: Example, { files, groups, library }: Scene, { due, written }: Times) => {
  const { group, overrides, pictures = [], settings, story, tags = [], thread = [] } = example
  const media = pictures.flatMap((name) => {
    const id = files.get(name)
    return id === undefined ? [] : [{ id }]
  })
  const groupId = group === undefined ? undefined : groups.get(group)
  return planCreate(
    rules,
    {
      content: (story._tag === "Submitted" ? story.before : undefined) ?? example.content,
      platforms: platformsFor(example, enabledPlatforms(rules)),
      tags: [exampleTag, ...tags],
      media,
      thread: thread.map((content) => ({ content })),
      status: story._tag === "Draft" || isByAgent(example) ? "draft" : "scheduled",
      ...(due !== null && { schedule_at: due }),
      ...(overrides !== undefined && { platform_overrides: overrides }),
      ...(settings !== undefined && { platform_settings: settings }),
      ...(groupId !== undefined && { group_id: groupId })
    },
    written,
    library
  )
}

export const writeExample = Effect.fnUntraced(function* (example: Example, scene: Scene, times: Times) {
  const { posts } = yield* Repo
  const rules = yield* CurrentRules
  const notifier = yield* Notifier
  const { agent, person, workspaceId } = scene
  const { story } = example
  const by = (author: Author) => scopeAuthority({ author, workspaceId }, "posts:write")
  const card = example.card === undefined ? null : { ...example.card, thumb: null }
  const plan = { ...(yield* Effect.fromResult(planFirst(rules, example, scene, times))), card }
  const decided = DateTime.addDuration(times.written, Duration.hours(1))

  const notify = (id: PostId, content: string) =>
    notifier.approvalRequested(workspaceId, { id, scheduledAt: times.due, content }, agent)

  const change = (patch: PostPatch) => (post: StoredPost, library: Library) =>
    Result.map(planUpdate(rules, post, patch, decided, library), (changed) => ({ ...changed, card }))

  const create = Effect.gen(function* () {
    const { id } = yield* posts.create(workspaceId, plan, by(isByAgent(example) ? agent : person))
    if (!isByAgent(example)) return id
    yield* posts.requestApproval(workspaceId, id, { ...plan, revision: firstRevision })
    yield* notify(id, plan.content)
    return id
  })

  const decide = (id: PostId) => {
    switch (story._tag) {
      case "Submitted":
        return story.before === undefined
          ? Effect.void
          : Effect.andThen(
              posts.updateForApproval(workspaceId, id, change({ content: example.content }), { by: by(agent) }),
              notify(id, example.content)
            )
      case "Approved":
        return posts.approve(workspaceId, id, by(person), change({ status: "scheduled" }))
      case "Rejected":
        return posts.reject(workspaceId, id, { by: person, reason: story.reason }, () => Result.void)
      default:
        return Effect.void
    }
  }

  const id = yield* atTime(times.written)(create)
  yield* atTime(decided)(decide(id))
  return id
})
