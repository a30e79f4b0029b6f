import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { IntegrationId, PostId, WorkspaceId } from "../../src/domain/ids.ts"
import { eventsOfSettlements } from "../../src/notifier/settledEvents.ts"

const workspaceId = WorkspaceId.make("01a1fc17-0000-7000-8000-000000000001")
const postId = PostId.make("01a1fc17-0000-7000-8000-000000000002")
const id = IntegrationId.make("01a1fc17-0000-7000-8000-000000000003")
const at = DateTime.makeUnsafe(0)
const post = {
  workspaceId,
  postId,
  status: "publishing",
  content: "Hello",
  targets: [{ platform: "twitter", status: "pending", url: null, error: null }]
} as const
const claim = { workspaceId, postId, platform: "twitter", attempts: 2, integration: { id, username: "acme" } } as const
const retry = { _tag: "Retry", at, error: { code: "unavailable", message: "No", retryable: true } } as const

const detailsOf = (
  sentAt: DateTime.Utc | null,
  settlement: Parameters<typeof eventsOfSettlements>[1][number]["settlement"],
  reconcileFrom: DateTime.Utc | null = null
) =>
  eventsOfSettlements([post], [{ claim: { ...claim, sentAt, reconcileFrom }, settlement }]).map(
    ({ details }) => details
  )

describe("The events of attempts", () => {
  it("They name the account as it was, and an attempt that had to look for an earlier send is a look", () => {
    assert.deepStrictEqual(detailsOf(null, retry), [{ account: "acme" }])
    assert.deepStrictEqual(detailsOf(at, retry), [{ account: "acme", looked: true }])
    assert.deepStrictEqual(detailsOf(null, retry, at), [{ account: "acme", looked: true }])
    const publication = { platformPostId: "1", url: null }
    assert.deepStrictEqual(detailsOf(at, { _tag: "Published", publication }), [{ account: "acme" }])
  })

  it("A thread that waits for a limit is told of once, as no attempt", () => {
    const wait = { ...retry, error: { ...retry.error, code: "rate_limited" }, isUncounted: true } as const
    const eventsOf = (lastRateLimited: boolean, settlement: typeof retry | typeof wait) =>
      eventsOfSettlements([post], [{ claim: { ...claim, attempts: 1, lastRateLimited }, settlement }])
    const [first, ...others] = eventsOf(false, wait)
    assert.deepInclude(first?.event.data, { attempt: 0, error_code: "rate_limited" })
    assert.deepStrictEqual([first?.details, others], [{ account: "acme", waited: true }, []])
    assert.deepStrictEqual(eventsOf(true, wait), [])
    assert.lengthOf(eventsOf(true, retry), 1)
  })

  it("An outcome that only time can tell is told of at some looks, as a look and not as a wait for a limit", () => {
    const error = { ...retry.error, code: "outcome_unknown" } as const
    const eventsOf = (reconcileAttempts: number) =>
      eventsOfSettlements(
        [post],
        [
          {
            claim: { ...claim, sentAt: at, reconcileAttempts, lastRateLimited: true },
            settlement: { ...retry, error, isOpen: true }
          }
        ]
      )
    assert.deepStrictEqual(
      [3, 4, 5, 16].map((looks) => eventsOf(looks).length),
      [0, 1, 0, 1]
    )
    assert.deepStrictEqual(eventsOf(4)[0]?.details, { account: "acme", looked: true })
  })
})
