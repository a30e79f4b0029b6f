import { AppBskyFeedPost } from "@atproto/api"
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { nextTargetId } from "../../../src/domain/ids.ts"
import type { Publication } from "../../../src/domain/publishing/platformError.ts"
import { postCollection } from "../../../src/platforms/bluesky/postRecord.ts"
import { makeThread } from "../threads.ts"
import { start } from "../world.ts"
import { member } from "./pdsWorld.ts"

/** The shared account, with a thread of its own. */
export const threadMember = Effect.gen(function* () {
  yield* TestClock.setTime(DateTime.toEpochMillis(start))
  const setup = yield* member
  const { agent, did } = setup.person
  /** A record as the PDS has it. */
  const getRecord = (uri: string) =>
    Effect.promise(async () => {
      const at = { repo: did, collection: postCollection, rkey: uri.split("/").at(-1) ?? "" }
      const { data } = await agent.com.atproto.repo.getRecord(at)
      const read = AppBskyFeedPost.validateRecord(data.value)
      if (!read.success) throw read.error
      return { uri: data.uri, cid: data.cid, value: read.value }
    })
  const newThread = Effect.map(nextTargetId, (id) => makeThread(setup.adapter, setup.account, id))
  return { ...setup, getRecord, newThread, thread: yield* newThread }
})
type ThreadMember = Effect.Success<typeof threadMember>

/** Asserts that each record names the one before it and the first one, by their content ids, and is later. */
export const assertChain = Effect.fn(function* ({ getRecord }: ThreadMember, parts: ReadonlyArray<Publication>) {
  const records = yield* Effect.forEach(parts, ({ platformPostId }) => getRecord(platformPostId ?? ""))
  const reference = (index: number) => {
    const { cid = "", uri = "" } = records[index] ?? {}
    return { uri, cid }
  }
  for (const [index, { cid, uri, value }] of records.entries()) {
    assert.strictEqual(parts[index]?.cid, cid)
    assert.deepEqual(value.reply, index === 0 ? undefined : { root: reference(0), parent: reference(index - 1) }, uri)
  }
  const times = records.map(({ value }) => value.createdAt)
  const keys = records.map(({ uri }) => uri)
  for (const ascending of [times, keys]) {
    assert.lengthOf(new Set(ascending), records.length)
    assert.deepStrictEqual(ascending.toSorted(), ascending)
  }
})
