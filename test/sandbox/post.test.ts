import { assert, describe, it } from "@effect/vitest"
import { Struct } from "effect"
import { postCard } from "../../src/sandbox/pages/post.ts"
import { SandboxPost } from "../../src/sandbox/state/entry.ts"

const post = SandboxPost.make({
  platform: "youtube",
  accountId: "UCzbcdefghijklmnopqrstuv",
  username: "team",
  displayName: "Team",
  id: "dQx5mQ1tZ0a",
  at: 0,
  text: "How we roast",
  title: "A <talk>",
  replySettings: null,
  record: null,
  media: [{ id: "a video", type: "video", alt: "", poster: "a picture" }]
})

describe("a post in the sandbox", () => {
  it("A video has its title above its text, and its own thumbnail before it is played", () => {
    const { markup } = postCard(post, [post])
    assert.isBelow(markup.indexOf("A &lt;talk&gt;"), markup.indexOf("How we roast"))
    assert.include(markup, ' poster="/sandbox/media/a%20picture"')
    const plain = { ...Struct.omit(post, ["title"]), media: [{ id: "a video", type: "video" as const, alt: "" }] }
    const other = postCard(plain, [])
    assert.notMatch(other.markup, /poster|class="title"/)
  })
})
