import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Repo } from "../../../src/repo/Repo.ts"
import type { Claim } from "../../../src/repo/targets/Targets.ts"
import { deletePosts, lease, makeDuePosts } from "../../support/database/duePosts.ts"
import { repoLayer } from "../../support/database/testDatabase.ts"
import { expireLease, published } from "./settlements.ts"

const slots = { platforms: { twitter: 100, bluesky: 100 }, perHost: 100, hosts: {} }

const claimed = (claims: ReadonlyArray<Claim>) => claims.map(({ targetId }) => targetId)

layer(repoLayer, { excludeTestServices: true })("targets.claim with a slot for each of a few due targets", (it) => {
  it.effect("A claim takes the earliest target of each account, and none of an account that has one in flight", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const due = yield* makeDuePosts(3, 2)
      const accounts = new Set(due.map(({ account }) => account))
      const claims = yield* targets.claim(100, lease, { slots })
      assert.sameMembers(
        claims.map(({ integration }) => integration.id),
        [...accounts]
      )
      const earliest = [...accounts].map((each) => due.find(({ account }) => account === each)?.targetId)
      assert.sameMembers(claimed(claims), earliest)
      assert.deepStrictEqual(yield* targets.claim(100, lease, { slots }), [])
      const [first] = claims
      if (first === undefined) return assert.fail("Nothing was claimed")
      yield* targets.settle(first, published)
      const second = due.find(
        ({ account, targetId }) => account === first.integration.id && !earliest.includes(targetId)
      )
      assert.deepStrictEqual(claimed(yield* targets.claim(100, lease, { slots })), [second?.targetId])
    })
  )

  it.effect("A claim takes all of many due targets, and of a few after them", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const many = yield* makeDuePosts(20, 1)
      assert.sameMembers(
        claimed(yield* targets.claim(100, lease, { slots })),
        many.map(({ targetId }) => targetId)
      )
      const claimLone = Effect.gen(function* () {
        const [lone] = yield* makeDuePosts(1, 1)
        assert.deepStrictEqual(claimed(yield* targets.claim(100, lease, { slots })), [lone?.targetId])
      })
      yield* Effect.repeat(claimLone, { times: 2 })
    })
  )

  it.effect("A claim whose lease has expired is taken over beside a target that is due", () =>
    Effect.gen(function* () {
      yield* deletePosts
      const { targets } = yield* Repo
      const [abandoned] = yield* makeDuePosts(1, 1)
      const [lost] = yield* targets.claim(100, lease, { slots })
      if (lost === undefined) return assert.fail("Nothing was claimed")
      yield* expireLease(lost)
      const [due] = yield* makeDuePosts(1, 1)
      assert.sameMembers(claimed(yield* targets.claim(100, lease, { slots })), [abandoned?.targetId, due?.targetId])
    })
  )
})
