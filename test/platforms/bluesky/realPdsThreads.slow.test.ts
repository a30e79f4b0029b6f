import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { sendPost } from "../../../src/platforms/carryOut.ts"
import type { Publication } from "../../../src/domain/publishing/platformError.ts"
import { cuts } from "../cuttingRelay.ts"
import { replyTo } from "../threads.ts"
import { outcome, start } from "../world.ts"
import { assertChain, threadMember } from "./pdsThread.ts"
import { pdsWorld, putRecord } from "./pdsWorld.ts"

/** In milliseconds. It takes eight seconds on two free cores. */

const length = 5

const range = (from: number, to: number): ReadonlyArray<number> =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index)

layer(pdsWorld())("Threads on a real PDS whose connections are cut", (it) => {
  it.effect("Sixty threads have five parts each in their order, whichever part's put was cut off, and wherever", () =>
    Effect.gen(function* () {
      const setup = yield* threadMember
      const { account, adapter, newThread, posts, relay } = setup
      const cut = Array.from({ length: 2 * length * cuts.length }, (_, round) => ({
        round,
        part: (round % length) + 1,
        where: cuts[Math.floor(round / length) % cuts.length] ?? "before the server",
        // In the second half of the rounds the repeated put is cut off as well.
        times: round < length * cuts.length ? 1 : 2
      }))
      for (const { part, round, times, where } of cut) {
        const thread = yield* newThread
        const text = (number: number) => `Round ${round}, part ${number}`
        const out: Array<Publication> = [...(yield* thread.publish(range(1, part - 1).map(text)))]
        const [root] = out
        const parent = out.at(-1)
        const reply = parent === undefined ? null : yield* replyTo(parent, root)
        const prepared = yield* thread.prepare(text(part), reply, { part })
        yield* relay.cutNext(putRecord, ...Array.from({ length: times }, () => where))
        assert.strictEqual(yield* outcome(sendPost(adapter, prepared, account)), "OutcomeUnknown")
        if (times > 1) {
          assert.strictEqual(yield* outcome(adapter.reconcile(prepared, account, start)), "OutcomeUnknown")
        }
        out.push(yield* adapter.reconcile(prepared, account, start))
        const parts = yield* thread.publish(range(part + 1, length).map(text), out)
        assert.lengthOf(parts, length)
        yield* relay.deliverDelayed
        yield* assertChain(setup, parts)
      }
      const texts = (yield* posts).map(({ value }) => value.text)
      const expected = cut.flatMap(({ round }) => range(1, length).map((part) => `Round ${round}, part ${part}`))
      assert.sameMembers(texts, expected)
      const passed = (yield* relay.passed).filter(({ method }) => method === putRecord)
      assert.lengthOf(
        passed.filter((request) => request.cut !== undefined),
        1.5 * cut.length
      )
    })
  )
})
