import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { MediaId, PostId } from "../../../src/domain/ids.ts"
import type { MediaFile } from "../../../src/domain/media/media.ts"
import { toPostMedia } from "../../../src/domain/media/media.ts"
import { type OriginalTarget, planCopy } from "../../../src/domain/posts/copyPlan.ts"
import type { CopyOrder } from "../../../src/domain/posts/newPost.ts"
import { withDuplicateWarning } from "../../../src/domain/publishing/settlement.ts"
import { imageFacts } from "../../support/database/mediaFixtures.ts"

const failed = (changes: Partial<OriginalTarget> = {}): OriginalTarget => ({
  platform: "twitter",
  status: "failed",
  error: { code: "rejected", message: "X refused the text", retryable: false },
  isSent: false,
  isSearched: false,
  copiedTo: null,
  part: 1,
  ...changes
})

const copyId = PostId.make("01a1fc17-dc2e-777d-ad63-5a461a1bba44")
const published = failed({ platform: "bluesky", status: "published", error: null })

const library: ReadonlyArray<MediaFile> = ["ready", "failed"].map((status, index) => ({
  id: MediaId.make(`01a1fc17-dc2e-777d-ad63-00000000000${index}`),
  status: status === "ready" ? "ready" : "failed",
  size: 68,
  facts: imageFacts,
  renditions: {},
  alt: "Its own"
}))
const media = library.map((file) => toPostMedia(file, "The post's"))

const planned = (targets: ReadonlyArray<OriginalTarget>, order: CopyOrder = { what: "missing" }) =>
  planCopy({ content: "Hello", overrides: {}, media: [], thread: [], targets }, order, [])

/** The platforms of the copy, or why there is none and where. */
const outcome = (...args: Parameters<typeof planned>) =>
  Result.match(planned(...args), {
    onSuccess: ({ platforms }) => platforms.join(" "),
    onFailure: (error) =>
      [
        error._tag,
        ...("platforms" in error ? error.platforms : []),
        ...("errors" in error ? error.errors.map(({ path }) => path.join(".")) : [])
      ].join(" ")
  })

describe("planCopy", () => {
  it("A copy of all is for all platforms of the post, or for those that are named, in the post's order", () => {
    const targets = [failed(), published]
    assert.strictEqual(outcome(targets, {}), "twitter bluesky")
    assert.strictEqual(outcome(targets, { what: "all", platforms: ["bluesky", "twitter"] }), "twitter bluesky")
    assert.strictEqual(outcome(targets, { platforms: ["bluesky"] }), "bluesky")
    assert.strictEqual(outcome(targets, { platforms: ["bluesky", "tiktok"] }), "InvalidRequest platforms.1")
  })

  it("A post is missing where it failed and was certainly not sent, whatever the error", () => {
    for (const code of ["rejected", "gave_up", "missed", "needs_reconnect"] as const) {
      assert.strictEqual(outcome([failed({ error: { code, message: "Why", retryable: true } }), published]), "twitter")
    }
  })

  it("It may be out after an unknown send, a warning of that, or an order to look for it first, whatever the error", () => {
    const warning = { code: "gave_up", message: withDuplicateWarning("Given up"), retryable: true } as const
    const unknown = { code: "outcome_unknown", message: "No response", retryable: false } as const
    for (const open of [{ isSent: true }, { isSearched: true }, { error: warning }, { error: unknown }]) {
      const targets = [failed(open), failed({ platform: "bluesky" })]
      assert.strictEqual(outcome(targets), "OutcomeOpen twitter")
      assert.strictEqual(outcome(targets, { what: "missing", platforms: ["bluesky"] }), "bluesky")
      assert.strictEqual(outcome(targets, { what: "missing", platforms: ["twitter"] }), "OutcomeOpen twitter")
      // A copy of all takes no target over: it is another post.
      assert.strictEqual(outcome(targets, {}), "twitter bluesky")
    }
  })

  it("What is out, to come or copied already is not missing", () => {
    const other = { platform: "bluesky" } as const
    for (const status of ["pending", "publishing", "published"] as const) {
      assert.strictEqual(outcome([failed({ status, error: null })]), "InvalidState")
      assert.strictEqual(outcome([failed({ status, error: null }), failed(other)]), "bluesky")
    }
    const copied = failed({ copiedTo: copyId })
    assert.strictEqual(outcome([copied]), "InvalidState")
    assert.strictEqual(outcome([copied, failed(other)]), "bluesky")
    const both: CopyOrder = { what: "missing", platforms: ["twitter", "bluesky"] }
    assert.strictEqual(outcome([copied, failed(other)], both), "InvalidState")
  })

  it("Files that are gone or could not be processed are left out and named, and the others keep the post's alternative texts", () => {
    const post = { content: "", overrides: {}, media, thread: [], targets: [failed()] }
    const plan = Result.getOrThrow(planCopy(post, {}, library))
    assert.deepStrictEqual(plan.media, media.slice(0, 1))
    assert.deepStrictEqual(
      plan.warnings.map(({ path }) => path),
      [["media", 1]]
    )
    assert.include(plan.warnings[0]?.message, media[1]?.id ?? "")
    assert.strictEqual(Result.getOrThrow(Result.flip(planCopy(post, {}, [])))._tag, "InvalidState")
    assert.lengthOf(Result.getOrThrow(planCopy({ ...post, content: "Text" }, {}, [])).warnings, 2)
  })

  it("A part whose only files are gone is left out and told of once, and other files are named where their part is in the copy", () => {
    const part = (content: string, files: typeof media) =>
      ({ content, platform_overrides: {}, media: files, card: null, platforms: null }) as const
    const gone = media.slice(1)
    const thread = [part("", [...gone, ...gone]), part("Three", gone), part("Four", [])]
    const plan = Result.getOrThrow(
      planCopy({ content: "One", overrides: {}, media: [], thread, targets: [failed()] }, {}, library)
    )
    assert.deepStrictEqual(
      plan.thread.map(({ content }) => content),
      ["Three", "Four"]
    )
    assert.deepStrictEqual(
      plan.warnings.map(({ path }) => path),
      [["thread"], ["thread", 0, "media", 0]]
    )
    assert.include(plan.warnings[0]?.message, "leaves out the part that has nothing else")

    // What is missing begins with the part that failed, of which nothing is left.
    const rest = Result.getOrThrow(
      planCopy(
        { content: "One", overrides: {}, media: [], thread, targets: [failed({ part: 2 })] },
        { what: "missing" },
        library
      )
    )
    assert.strictEqual(rest.content, "Three")
    assert.deepStrictEqual(
      rest.warnings.map(({ path }) => path),
      [["thread"], ["media", 0]]
    )
  })
})
