import { Effect } from "effect"
import type { InvalidRequest, InvalidState, NotFound } from "../../src/domain/errors.ts"
import { platformName } from "../../src/domain/plain/platforms.ts"
import { chainFor } from "../../src/domain/posts/thread.ts"
import { checkNamed } from "../../src/domain/publishing/namedPost.ts"
import {
  checkResolvable,
  missingUrl,
  type Resolution,
  restUnsent,
  settleResolution
} from "../../src/domain/publishing/resolution.ts"
import { settlePart } from "../../src/domain/publishing/threadCursor.ts"
import { recognizedByText } from "../../src/repo/targets/deletedTargets.ts"
import { noTarget, takenUrl } from "../../src/repo/targets/resolve.ts"
import type { Claim, EndedTarget } from "../../src/repo/targets/Targets.ts"
import { rules } from "../support/plans.ts"
import type { Transaction } from "./memoryDatabase.ts"
import { targetsOf } from "./memoryPosts.ts"
import type { TargetRow } from "./rows.ts"
import { atNextPart, withPart } from "./threadRows.ts"

type Key = Pick<Claim, "workspaceId" | "postId" | "platform">

interface Resolved {
  readonly row: TargetRow
  readonly wakes: boolean
  readonly resolved: EndedTarget
}

/** True if the platform's post belongs to another target of the workspace or to an earlier part of this target. */
const isOwned = (open: Transaction, row: TargetRow, id: string) =>
  recognizedByText.includes(row.platform) &&
  [...open.targets.all(), ...open.deletedTargets.all()].some(
    (other) =>
      other.workspaceId === row.workspaceId &&
      other.platform === row.platform &&
      other.accountId === row.accountId &&
      ((other.platformPostId === id && other.id !== row.id) || other.partIds?.includes(id) === true)
  )

/** Applies a person's answer that a target is published, as src/repo/targets/resolve.ts does. */
export const resolvePublished = (
  open: Transaction,
  { platform, postId, workspaceId }: Key,
  resolution: Resolution,
  { at, databaseNow }: { readonly at: number; readonly databaseNow: number }
): Effect.Effect<Resolved, NotFound | InvalidState | InvalidRequest> =>
  Effect.gen(function* () {
    const post = open.posts.get(postId)
    const row = targetsOf(open, postId).find((target) => target.platform === platform)
    const integration = row === undefined ? undefined : open.integrations.get(row.integrationId)
    if (post?.workspaceId !== workspaceId || row === undefined || integration === undefined) return yield* noTarget
    const cursor = { part: row.part, parts: chainFor(platform, post).length }
    const attempted = { status: row.status, error: row.error, isSent: row.sentAt !== null, isSearched: false }
    yield* Effect.fromResult(checkResolvable(platform, { ...attempted, ...cursor }))
    if (resolution.outcome === "published" && resolution.post !== null) {
      const isConnected = row.accountId === integration.accountId
      const parentId = row.parts?.at(-1)?.id ?? null
      const known = { accountId: row.accountId, username: isConnected ? integration.username : null, parentId }
      yield* Effect.fromResult(checkNamed(rules, platform, postId, known, resolution.post))
    }
    const settlement = settleResolution(rules, platform, row.accountId, resolution, cursor)
    if (settlement._tag !== "Published" || resolution.outcome !== "published") {
      return yield* Effect.die("In a simulation nobody says that a post is not published")
    }
    const { platformPostId: id, url } = settlement.publication
    if (id !== null && isOwned(open, row, id)) return yield* takenUrl(platformName(platform))
    const isLast = cursor.part === cursor.parts
    if (!isLast && id === null) return yield* missingUrl(cursor)
    const out = post.thread.length > 0 ? withPart(row, settlement.publication, at) : {}
    const { continues } = resolution
    const time = Math.min(at, databaseNow)
    const [first] = row.parts ?? []
    const published = {
      status: "published",
      publishedAt: at,
      platformPostId: first === undefined ? id : first.id,
      url: first === undefined ? url : first.url,
      prepared: row.prepared === null ? null : {},
      partUploads: null,
      resendOrdered: false,
      error: null
    } as const
    const next = {
      ...atNextPart(row),
      status: continues ? "pending" : "failed",
      dueAt: continues ? time : null,
      dueSince: continues ? time : null,
      error: continues ? null : restUnsent(cursor)
    } as const
    const { attempts, integrationId, workspaceId: workspace } = row
    return {
      row: { ...row, ...out, ...(isLast ? published : next) },
      wakes: !isLast && continues,
      resolved: {
        claim: {
          workspaceId: workspace,
          postId,
          platform,
          part: cursor.part,
          attempts,
          integration: { id: integrationId, username: integration.username }
        },
        settlement: settlePart(settlement, cursor, null)
      }
    }
  })
