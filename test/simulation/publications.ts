import type { TargetId } from "../../src/domain/ids.ts"
import { withDuplicateWarning } from "../../src/domain/publishing/settlement.ts"
import { shortId } from "./ids.ts"
import type { MemoryDatabase } from "./memoryDatabase.ts"
import type { PlatformRequest } from "./network.ts"
import type { Process } from "./process.ts"
import type { Change, PostRow, TargetRow } from "./rows.ts"
import type { World } from "./world.ts"

/** A post that a platform accepted. */
interface Accepted {
  readonly platformPostId: string
  /** When its request left its process. */
  readonly sentAt: number
}

/** What the checks know of a target beside its row: what users requested, and what the platform accepted. */
interface History {
  /** How often the platform may accept it: once, and once more each time a user resends what may be published already. */
  allowed: number
  /** When a user last requested that it be published. */
  requestedAt: number
  readonly accepted: Array<Accepted>
}

const duplicateWarning = withDuplicateWarning("")

/** Whether the target's error warns users that it may be published already. */
const warnsOfPublication = ({ error }: TargetRow) => error?.message.includes(duplicateWarning) === true

/** The platform's id of a post, the last segment of its URL. */
const idInUrl = (url: string) => url.slice(url.lastIndexOf("/") + 1)

/**
 * Which target each request to publish was for, and the invariants that follow from what platforms accepted. Targets of one
 * account may have equal texts; which of them a process sends follows from the claims that it was given.
 */
export const makePublications = (world: World, database: MemoryDatabase) => {
  const { targets } = database.committed
  const histories = new Map<TargetId, History>()
  /** The targets that have or had a text on an account. */
  const namesakes = new Map<string, Set<TargetId>>()
  const targetOf = new WeakMap<PlatformRequest, TargetId>()
  const targetOfUrl = new Map<string, TargetId>()

  const textKey = (accountId: string, text: string) => `${accountId} ${text}`
  const historyOf = (id: TargetId): History => {
    const history = histories.get(id) ?? { allowed: 1, requestedAt: world.now(), accepted: [] }
    histories.set(id, history)
    return history
  }
  const withText = (accountId: string, text: string): ReadonlyArray<TargetId> => [
    ...(namesakes.get(textKey(accountId, text)) ?? [])
  ]
  const holdsClaim = (process: Process, id: TargetId): boolean => {
    const token = targets.get(id)?.token ?? null
    return token !== null && process.claimTokens.get(id)?.has(token) === true
  }

  /** A target that is reported as failed is not published since it was last requested, unless the error warns of that. */
  const checkFailureReport = (row: TargetRow) => {
    if (row.status !== "failed" || row.error === null || warnsOfPublication(row)) return
    const { accepted, requestedAt } = historyOf(row.id)
    // Of targets with equal texts, another one may have recognized the post as its own.
    const isTaken = ({ platformPostId }: Accepted) =>
      [...targetOfUrl].some(([url, id]) => id !== row.id && idInUrl(url) === platformPostId)
    if (accepted.some((post) => post.sentAt >= requestedAt && !isTaken(post))) {
      world.violate(`target ${shortId(row.id)} is reported as failed (${row.error.code}), but it is published`)
    }
  }

  /** A published target names a post that the platform accepted with its text, and that no other target names. */
  const checkPublished = (row: TargetRow) => {
    const violate = (what: string) => world.violate(`target ${shortId(row.id)} is reported as published, but ${what}`)
    if (row.url === null) {
      if (historyOf(row.id).accepted.length === 0) violate("the platform never accepted it")
      return
    }
    const other = targetOfUrl.get(row.url)
    if (other !== undefined && other !== row.id) {
      violate(`its post is that of ${targets.has(other) ? "" : "the deleted "}target ${shortId(other)}`)
    }
    targetOfUrl.set(row.url, row.id)
    const id = idInUrl(row.url)
    const isAccepted = [...namesakes.values()]
      .filter((ids) => ids.has(row.id))
      .some((ids) => [...ids].some((each) => historyOf(each).accepted.some((post) => post.platformPostId === id)))
    if (!isAccepted) violate("the platform never accepted it")
  }

  return {
    holdsClaim,
    /** The targets with a text on an account. */
    withText,
    /** Notes the text of a post under each of its targets. */
    onText: (post: PostRow, rows: ReadonlyArray<TargetRow>) => {
      for (const row of rows) {
        const key = textKey(row.accountId, post.content)
        namesakes.set(key, (namesakes.get(key) ?? new Set()).add(row.id))
      }
    },
    onTarget: ({ after, before }: Change<TargetRow>) => {
      if (after === undefined) return
      const history = historyOf(after.id)
      if (before?.status === "failed" && after.status === "pending") {
        if (warnsOfPublication(before)) history.allowed += 1
        history.requestedAt = world.now()
      }
      if (after.status === "published" && before?.status !== "published") checkPublished(after)
      checkFailureReport(after)
    },
    /** Whether the platform has accepted the target. */
    isAccepted: (id: TargetId) => historyOf(id).accepted.length > 0,
    /** Decides which target a request is for, and returns it: the one that the process has claimed, or else had claimed. */
    onSend: (process: Process, request: PlatformRequest, accountId: string, text: string): TargetRow | undefined => {
      const ids = withText(accountId, text)
      const id = ids.find((each) => holdsClaim(process, each)) ?? ids.findLast((each) => process.claimTokens.has(each))
      if (id === undefined) return undefined
      targetOf.set(request, id)
      return targets.get(id)
    },
    /** Notes that a platform has published a post; returns for which target, if it still exists. */
    onAccepted: (request: PlatformRequest, text: string, platformPostId: string): TargetRow | undefined => {
      const id = targetOf.get(request)
      if (id === undefined) {
        world.violate(`“${text}” was published, but nobody requested it`)
        return undefined
      }
      const { accepted, allowed } = historyOf(id)
      accepted.push({ platformPostId, sentAt: request.sentAt })
      if (accepted.length > allowed) {
        world.violate(`“${text}” was published ${accepted.length} times, but requested ${allowed} times`)
      }
      const row = targets.get(id)
      if (row !== undefined) checkFailureReport(row)
      return row
    }
  }
}
