import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { toPostMedia } from "../../src/domain/media/media.ts"
import { ClaimToken, IntegrationId, MediaId, PostId, ProcessId, TargetId, WorkspaceId } from "../../src/domain/ids.ts"
import { looksBeforeResend } from "../../src/domain/publishing/retryPolicy.ts"
import { ProcessLease } from "../../src/publishing/ProcessLease.ts"
import { Sends } from "../../src/publishing/Sends.ts"
import { Settlements } from "../../src/publishing/Settlements.ts"
import { lease } from "../../src/publishing/timing.ts"
import type { Claim } from "../../src/repo/targets/Targets.ts"
import { imageFacts } from "../support/database/mediaFixtures.ts"

const epoch = DateTime.makeUnsafe(0)

const ownerId = ProcessId.make("01a1fc17-0000-7000-8000-000000000006")

/** The lease of the process that holds `claimed` claims. It does not expire. */
export const currentLease = Layer.mock(ProcessLease, { current: Effect.succeedSome(ownerId) })

/** Lets fibers run that wait only for other fibers. */
export const settled = Effect.repeat(TestClock.adjust(0), { times: 5 })

/** Sends that never wait for settlements. */
export const sendsLayer = Sends.layer.pipe(
  Layer.provide(Layer.mock(Settlements, { caughtUp: Effect.void, expectOutcome: () => () => {} }))
)

/** A first claim that begins when the test does, with some members changed. */
export const claimed = (changes: Partial<Claim> = {}): Claim => ({
  targetId: TargetId.make("01a1fc17-0000-7000-8000-000000000001"),
  token: ClaimToken.make("01a1fc17-0000-7000-8000-000000000002"),
  workspaceId: WorkspaceId.make("01a1fc17-0000-7000-8000-000000000003"),
  postId: PostId.make("01a1fc17-0000-7000-8000-000000000004"),
  leaseUntil: DateTime.addDuration(epoch, lease),
  ownerId,
  platform: "twitter",
  host: "twitter",
  part: 1,
  parts: 1,
  isThread: false,
  reply: null,
  text: "Hello",
  settings: {},
  media: [],
  card: null,
  language: null,
  attempts: 1,
  lastRateLimited: false,
  reconcileAttempts: 0,
  dueFrom: 0,
  claimedAt: epoch,
  dueSince: epoch,
  prepared: null,
  sentAt: null,
  resendOrdered: false,
  processingSince: null,
  reconcileFrom: null,
  reconcileUntil: null,
  reconcileText: null,
  accountId: "1",
  integration: {
    id: IntegrationId.make("01a1fc17-0000-7000-8000-000000000005"),
    accountId: "1",
    username: "team",
    serviceUrl: null,
    connected: true,
    version: "1"
  },
  ...changes
})

/** The changes for a claim of a target that might be published already. */
export const perhapsPublished: Partial<Claim> = { prepared: "Hello", sentAt: epoch, attempts: 2, reconcileAttempts: 1 }

/** The changes for a claim of a target that is sent again unless this look finds it. */
export const toResend = { resendOrdered: true, reconcileAttempts: looksBeforeResend } as const

/** A file of a claim's post. */
export const claimedFile = toPostMedia(
  {
    id: MediaId.make("01a1fc17-0000-7000-8000-00000000000b"),
    status: "ready",
    size: imageFacts.size,
    facts: imageFacts,
    renditions: {},
    alt: ""
  },
  ""
)
