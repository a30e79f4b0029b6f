import { assert, describe, it } from "@effect/vitest"
import { PostId } from "../../../../src/domain/ids.ts"
import { refuseNamed } from "../../../../src/platforms/twitter/rules/namedPost.ts"
import { tweetId } from "../../../../src/platforms/twitter/standIn/tweet.ts"

const created = Date.UTC(2030, 0, 31)
const hex = created.toString(16).padStart(12, "0")
const timed = PostId.make(`${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`)
const timeless = PostId.make("ffffffff-ffff-4fff-bfff-ffffffffffff")

describe("The age of a post that a person names", () => {
  const isRefused = (key: string, id = timed) => refuseNamed(key, { id, parentId: null }) !== undefined

  it("A post on X from before the post here was created is refused, with an hour for clocks that differ", () => {
    const hour = 3_600_000
    assert.isTrue(isRefused(tweetId(created - hour - 1, 0)))
    assert.isTrue(isRefused("20"))
    assert.isFalse(isRefused(tweetId(created - hour, 0)))
    assert.isFalse(isRefused(tweetId(created + hour, 0)))
  })

  it("An id that tells no time refuses none", () => {
    assert.isFalse(isRefused("20", timeless))
  })
})

describe("The place of a named post in a thread", () => {
  const isRefused = (parentId: string | null, key: string) => refuseNamed(key, { id: timeless, parentId }) !== undefined

  it("A part on X is newer than the one before it, whatever the length of its id, and other posts have none before them", () => {
    assert.isTrue(isRefused("1000", "999"))
    assert.isTrue(isRefused("1000", "1000"))
    assert.isFalse(isRefused("999", "1000"))
    assert.isFalse(isRefused(null, "1"))
  })
})
