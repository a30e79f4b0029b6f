import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Result } from "effect"
import { readPutRecord } from "../../../../src/platforms/bluesky/standIn/record.ts"
import { Pds } from "../../../support/pds/pds.ts"
import { drawing, drawKey, drawnMembers, drawTag, knownTags, recordCid } from "./drawnRecords.ts"

/** Drawn values replace members of this record. */
const post = { $type: "app.bsky.feed.post", text: "A text of 26 bytes…", createdAt: "2026-02-01T09:00:00.000Z" }

/** The answers of the stand-in and of a real PDS to a record. */
class Comparison extends Context.Service<
  Comparison,
  (
    members: object,
    rkey?: string
  ) => Effect.Effect<{ readonly standIn: boolean; readonly pds: boolean; readonly answer: string }>
>()("test/Comparison") {
  static readonly layer = Layer.effect(
    Comparison,
    Effect.gen(function* () {
      const pds = yield* Pds
      const { agent, did } = yield* pds.createAccount("ada")
      return (members, rkey = "3n2s4wxk2dw22") =>
        Effect.promise(async () => {
          const record = { ...post, ...members }
          // No PDS is at this commit: a record that it takes is refused at the end, and nothing is stored.
          const body = JSON.stringify({
            repo: did,
            collection: post.$type,
            rkey,
            record,
            swapCommit: recordCid
          })
          const response = await fetch(`${pds.url}/xrpc/com.atproto.repo.putRecord`, {
            method: "POST",
            headers: { "content-type": "application/json", authorization: `Bearer ${agent.session?.accessJwt}` },
            body
          })
          const answer = await response.text()
          assert.match(answer, /"(InvalidSwap|InvalidRequest)"/)
          return {
            standIn: Result.isSuccess(readPutRecord(body)),
            pds: answer.includes('"InvalidSwap"'),
            answer: `${rkey} ${JSON.stringify(members)}: ${answer}`
          }
        })
    })
  ).pipe(Layer.provide(Pds.layer()))
}

layer(Comparison.layer)("What the stand-in of Bluesky takes", (it) => {
  it.effect("A language is taken exactly where a PDS takes it", () =>
    Effect.gen(function* () {
      const compare = yield* Comparison
      const draw = drawing(47)
      const drawn = Array.from({ length: 600 }, () => drawTag(draw))
      const compared = yield* Effect.forEach([...knownTags, "", "a".repeat(3000), ...drawn], (tag) =>
        compare({ langs: [tag] })
      )
      assert.isAbove(compared.filter(({ pds }) => pds).length, 200)
      assert.deepStrictEqual(
        compared.flatMap(({ answer, pds, standIn }) => (pds === standIn ? [] : [answer])),
        []
      )
    })
  )

  it.effect("A record's key is taken exactly where a PDS takes it", () =>
    Effect.gen(function* () {
      const compare = yield* Comparison
      const draw = drawing(49)
      const keys = Array.from({ length: 600 }, () => drawKey(draw))
      const compared = yield* Effect.forEach(keys, (key) => compare({}, key))
      assert.isAbove(compared.filter(({ pds }) => pds).length, 200)
      assert.include(
        compared.map(({ answer }) => answer.includes("slur")),
        true
      )
      assert.deepStrictEqual(
        compared.flatMap(({ answer, pds, standIn }) => (pds === standIn ? [] : [answer])),
        []
      )
    })
  )

  it.effect.each(drawnMembers)("It answers to %s as a PDS does", ([_, drawMembers, refused]) =>
    Effect.gen(function* () {
      const compare = yield* Comparison
      const draw = drawing(48)
      const compared = yield* Effect.forEach(
        Array.from({ length: 150 }, () => drawMembers(draw)),
        (members) => compare(members)
      )
      for (const isTaken of [true, false])
        assert.include(
          compared.map(({ pds }) => pds),
          isTaken
        )
      assert.include(
        compared.map(({ standIn }) => standIn),
        true
      )
      assert.deepStrictEqual(
        compared.flatMap(({ answer, pds, standIn }) =>
          standIn === pds || (pds && refused?.test(answer) === true) ? [] : [answer]
        ),
        []
      )
    })
  )
})
