import type { TargetId } from "../../src/domain/ids.ts"
import { chainFor } from "../../src/domain/posts/thread.ts"
import { withDuplicateWarning } from "../../src/domain/publishing/settlement.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { PlatformRequest } from "./platformServer.ts"
import type { Process } from "./process.ts"
import type { Change, PostRow, TargetRow } from "./rows.ts"
import { type AcceptedPost, idInUrl, type TargetPart } from "./threads.ts"
import type { World } from "./world.ts"

interface Accepted {
  readonly platformPostId: string
  /** The time when the request left its process. */
  readonly sentAt: number
}

/** The history of a target's part that its row does not show: users' requests, and the platform's acceptances. */
interface History {
  /**
   * The number of times that the platform may accept the part: once, and once more each time a user resends it after an
   * unknown outcome.
   */
  allowed: number
  /** The last time at which a user requested its publication. */
  requestedAt: number
  readonly accepted: Array<Accepted>
}

const duplicateWarning = withDuplicateWarning("")

/** True if the target's error warns users that the post might be published. */
const warnsOfPublication = ({ error }: TargetRow) => error?.message.includes(duplicateWarning) === true

const currentPart = ({ id, part }: TargetRow): TargetPart => ({ targetId: id, part })

/** The addresses of a target's published parts. */
const outOf = ({ parts, status, url }: TargetRow): ReadonlyArray<string | null> =>
  parts === null ? (status === "published" ? [url] : []) : parts.map((part) => part.url)

/**
 * Finds the target's part for each request to publish, and checks invariants about acceptances. Targets of one account
 * may have equal texts; the process's claims then decide which one it sends.
 */
export const makePublications = (world: World, database: MemoryDatabase) => {
  const { targets } = database.committed
  const histories = new Map<string, History>()
  /** The parts that have or had a text on an account. */
  const namesakes = new Map<string, Map<string, TargetPart>>()
  const partOf = new WeakMap<PlatformRequest, TargetPart>()
  const ownerOfUrl = new Map<string, TargetPart>()

  const nameOf = ({ part, targetId }: TargetPart) => `${targetId} ${part}`
  const textKey = (accountId: string, text: string) => `${accountId} ${text}`
  const historyOf = (part: TargetPart): History => {
    const name = nameOf(part)
    const history = histories.get(name) ?? { allowed: 1, requestedAt: world.now(), accepted: [] }
    histories.set(name, history)
    return history
  }
  const withText = (accountId: string, text: string): ReadonlyArray<TargetPart> => [
    ...(namesakes.get(textKey(accountId, text))?.values() ?? [])
  ]
  const holdsClaim = (process: Process, id: TargetId): boolean => {
    const token = targets.get(id)?.token ?? null
    return token !== null && process.claimTokens.get(id)?.has(token) === true
  }

  /**
   * If a target is reported as failed, it was not published since its last request, unless its error warns that it
   * might be.
   */
  const checkFailureReport = (row: TargetRow) => {
    if (row.status !== "failed" || row.error === null || warnsOfPublication(row)) return
    const { accepted, requestedAt } = historyOf(currentPart(row))
    // Another target with an equal text may have taken the post for its own.
    const isTaken = ({ platformPostId }: Accepted) =>
      [...ownerOfUrl].some(([url, { targetId }]) => targetId !== row.id && idInUrl(url) === platformPostId)
    if (accepted.some((post) => post.sentAt >= requestedAt && !isTaken(post))) {
      world.violate(`target ${shortId(row.id)} is reported as failed (${row.error.code}), but it is published`)
    }
  }

  /** A published part names a post that the platform accepted with its text. No other part may name this post. */
  const checkOut = (own: TargetPart, url: string | null) => {
    const violate = (what: string) =>
      world.violate(`part ${own.part} of target ${shortId(own.targetId)} is reported as published, but ${what}`)
    if (url === null) {
      if (historyOf(own).accepted.length === 0) violate("the platform never accepted it")
      return
    }
    const other = ownerOfUrl.get(url)
    if (other !== undefined && nameOf(other) !== nameOf(own)) {
      violate(
        `its post is that of ${targets.has(other.targetId) ? "" : "the deleted "}target ${shortId(other.targetId)}`
      )
    }
    ownerOfUrl.set(url, own)
    const id = idInUrl(url)
    const isAccepted = [...namesakes.values()]
      .filter((parts) => parts.has(nameOf(own)))
      .some((parts) =>
        [...parts.values()].some((each) => historyOf(each).accepted.some((post) => post.platformPostId === id))
      )
    if (!isAccepted) violate("the platform never accepted it")
  }

  /** A part replies to the previous part that its target knows, and belongs to the thread of its first part. */
  const checkReply = (own: TargetPart, reply: AcceptedPost["reply"]) => {
    const violate = (what: string) => world.violate(`part ${own.part} of target ${shortId(own.targetId)} ${what}`)
    if (own.part === 1) {
      if (reply !== null) violate("replies to another post")
      return
    }
    const parts = targets.get(own.targetId)?.parts
    // The target may have been deleted while the request was in transit.
    if (parts === undefined) return
    const [parent, root] = [parts?.[own.part - 2]?.id, parts?.[0]?.id]
    if (parent === undefined || idInUrl(parent ?? "") !== reply?.parent) violate("does not reply to the part before it")
    if (root === undefined || idInUrl(root ?? "") !== reply?.root) violate("is not in the thread of the first part")
  }

  return {
    holdsClaim,
    withText,
    /** Records the texts of a post's targets by part. */
    onText: (post: PostRow, rows: ReadonlyArray<TargetRow>) => {
      for (const row of rows) {
        for (const [index, { text }] of chainFor(row.platform, post).entries()) {
          const key = textKey(row.accountId, text)
          const own: TargetPart = { targetId: row.id, part: index + 1 }
          namesakes.set(key, (namesakes.get(key) ?? new Map<string, TargetPart>()).set(nameOf(own), own))
        }
      }
    },
    onTarget: ({ after, before }: Change<TargetRow>) => {
      if (after === undefined) return
      const history = historyOf(currentPart(after))
      if (before?.status === "failed" && after.status === "pending") {
        if (warnsOfPublication(before)) history.allowed += 1
        history.requestedAt = world.now()
      }
      const known = before === undefined ? [] : outOf(before)
      for (const [index, url] of outOf(after).entries()) {
        if (index >= known.length) checkOut({ targetId: after.id, part: index + 1 }, url)
      }
      checkFailureReport(after)
    },
    /** True if the platform has accepted the target's current part. */
    isAccepted: (row: TargetRow) => historyOf(currentPart(row)).accepted.length > 0,
    /** Finds the part for a request: a part of a target that the process has claimed, or else had claimed before. */
    onSend: (process: Process, request: PlatformRequest, accountId: string, text: string): TargetPart | undefined => {
      const parts = withText(accountId, text)
      const isCurrent = ({ part, targetId }: TargetPart) => targets.get(targetId)?.part === part
      const own =
        parts.find((each) => isCurrent(each) && holdsClaim(process, each.targetId)) ??
        parts.findLast((each) => isCurrent(each) && process.claimTokens.has(each.targetId)) ??
        parts.findLast(({ targetId }) => process.claimTokens.has(targetId))
      if (own !== undefined) partOf.set(request, own)
      return own
    },
    /** Records a publication, and returns its part. */
    onAccepted: (
      request: PlatformRequest,
      text: string,
      platformPostId: string,
      reply: AcceptedPost["reply"]
    ): TargetPart | undefined => {
      const own = partOf.get(request)
      if (own === undefined) {
        world.violate(`“${text}” was published, but nobody requested it`)
        return undefined
      }
      const { accepted, allowed } = historyOf(own)
      accepted.push({ platformPostId, sentAt: request.sentAt })
      if (accepted.length > allowed) {
        world.violate(`“${text}” was published ${accepted.length} times, but requested ${allowed} times`)
      }
      checkReply(own, reply)
      const row = targets.get(own.targetId)
      if (row !== undefined) checkFailureReport(row)
      return own
    }
  }
}
