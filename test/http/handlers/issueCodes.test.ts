import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { sortIssues } from "../../../src/dashboard/pages/compose/issues.ts"
import { MediaId } from "../../../src/domain/ids.ts"
import { IssueCode } from "../../../src/domain/issueCodes.ts"
import type { MediaFacts, MediaFile, MediaType } from "../../../src/domain/media/media.ts"
import { livePlatforms } from "../../../src/domain/plain/platforms.ts"
import type { LivePlatform } from "../../../src/domain/platform.ts"
import { CurrentRules, makeRules } from "../../../src/platforms/rules.ts"
import { call } from "../../support/http/client.ts"
import { anIntegration } from "../../support/http/samplePosts.ts"
import { repoWithKey, startServer } from "../../support/http/server.ts"

const id = MediaId.make("01a1fc17-dc2e-777d-ad63-000000000007")

const aFacts = (type: MediaType): MediaFacts => ({
  type,
  contentType: type === "gif" ? "image/gif" : "image/png",
  size: 100,
  width: 100,
  height: 100,
  durationMs: null,
  frames: null,
  frameRate: null,
  videoCodec: null,
  audioCodec: null,
  animated: type === "gif"
})

const aFile = (type: MediaType, changes: Partial<MediaFile> = {}): MediaFile => ({
  id,
  status: "ready",
  size: 100,
  facts: aFacts(type),
  renditions: {},
  alt: "",
  ...changes
})

const forX = { twitter: { hash: "a", contentType: "image/png", size: 100, width: 100, height: 100 } }

const post = { content: "Hello", platforms: ["twitter"] }
const scheduled = { ...post, schedule_at: "1970-01-01T01:00:00Z" }
const withFile = { ...scheduled, media: [{ id }] }
const onBluesky = ["bluesky"]

const unsetQueue = { timeZone: null, entries: [], revision: 1, updatedAt: null, updatedBy: null }

interface Case {
  readonly code: (typeof IssueCode.literals)[number]
  readonly body: object
  readonly facts?: object
  readonly file?: MediaFile
  /** By default, the platforms of every service. */
  readonly enabled?: ReadonlyArray<LivePlatform>
}

const cases: ReadonlyArray<Case> = [
  { code: "text_blank", body: { ...post, content: " " } },
  {
    code: "text_too_long",
    body: { ...scheduled, content: "a".repeat(281) },
    facts: { platform: "twitter", limit: 280, length: 281, unit: "weighted characters" }
  },
  {
    code: "text_too_long",
    body: { ...scheduled, thread: [{ content: "a".repeat(282) }] },
    facts: { platform: "twitter", limit: 280, length: 282, unit: "weighted characters", part: 2 }
  },
  {
    code: "text_refused",
    body: { ...scheduled, content: "$AAPL $TSLA" },
    facts: { platform: "twitter", reason: "accepts one cashtag, but this text has 2: $AAPL, $TSLA" }
  },
  {
    code: "text_unlinked",
    body: { ...scheduled, content: "Drink coca-cola.com", platforms: onBluesky },
    facts: {
      platform: "bluesky",
      reason: "makes no link of coca-cola.com as it is written: write https:// before it"
    }
  },
  {
    code: "text_unlinked",
    body: { ...scheduled, thread: [{ content: "Read https://example.com..." }], platforms: onBluesky },
    facts: {
      platform: "bluesky",
      reason: "makes no link of https://example.com as it is written: put a space before the dots"
    }
  },
  {
    code: "text_repeated",
    body: { ...scheduled, thread: [{ content: "Other" }, { content: "Hello" }] },
    facts: { platform: "twitter", part: 3, repeats: 1 }
  },
  {
    code: "thread_refused",
    body: { ...scheduled, platforms: ["linkedin"], thread: [{ content: "Two" }] },
    facts: { platform: "linkedin" },
    enabled: livePlatforms
  },
  {
    code: "platform_foreign",
    body: { ...post, thread: [{ content: "Two", platforms: onBluesky }] },
    facts: { platform: "bluesky" }
  },
  { code: "platform_unconnected", body: { ...post, platforms: onBluesky }, facts: { platform: "bluesky" } },
  { code: "platform_in_review", body: { ...post, platforms: ["linkedin"] }, facts: { platform: "linkedin" } },
  { code: "time_missing", body: { ...post, status: "scheduled" } },
  { code: "time_past", body: { ...post, schedule_at: "1969-12-31T00:00:00Z" } },
  { code: "time_too_far", body: { ...post, schedule_at: "1971-01-01T00:00:00Z" }, facts: { limit: 180 } },
  { code: "slot_missing", body: { ...post, schedule: "next_slot" } },
  { code: "too_many", body: { ...post, media: Array.from({ length: 11 }, () => ({ id })) }, facts: { limit: 10 } },
  {
    code: "too_many",
    body: { ...post, thread: Array.from({ length: 25 }, () => ({ content: "a" })) },
    facts: { limit: 24 }
  },
  { code: "too_many", body: { ...post, tags: Array.from({ length: 101 }, () => "a") }, facts: { limit: 100 } },
  { code: "too_long", body: { ...post, content: "a".repeat(10_001) }, facts: { limit: 10_000 } },
  { code: "too_short", body: { ...post, platforms: [] }, facts: { limit: 1 } },
  { code: "text_broken", body: { ...post, content: "\ud800" } },
  { code: "malformed", body: { ...post, tags: [" "] }, facts: { expected: "a tag that is not blank" } },
  { code: "file_processing", body: withFile, file: aFile("image", { status: "processing", facts: null }) },
  {
    code: "file_refused",
    body: { ...withFile, platforms: onBluesky },
    facts: {
      platform: "bluesky",
      reason: "accepts animated images only as GIFs; convert it to a GIF or a video (MP4)"
    },
    file: aFile("image", { facts: { ...aFacts("image"), animated: true } })
  },
  {
    code: "setting_refused",
    body: {
      ...withFile,
      platforms: ["instagram"],
      platform_settings: { instagram: { collaborators: ["ada lovelace"] } }
    },
    facts: { platform: "instagram", reason: "has no username “ada lovelace” to invite as a collaborator" },
    file: aFile("image"),
    enabled: livePlatforms
  },
  {
    code: "file_doubtful",
    body: withFile,
    facts: {
      platform: "twitter",
      reason: "accepts videos of more than 140 s only from some accounts, and this one has 200 s"
    },
    file: aFile("video", { facts: { ...aFacts("video"), durationMs: 200_000 } })
  },
  { code: "file_inconvertible", body: withFile, facts: { platform: "twitter" }, file: aFile("image") },
  {
    code: "alt_too_long",
    body: withFile,
    facts: { platform: "twitter", limit: 1000, length: 1001 },
    file: aFile("image", { renditions: forX, alt: "a".repeat(1001) })
  }
]

/** The sentences that the form shows for an issue even if its message is reworded. */
const shownWithoutMessage = (issue: Parameters<typeof sortIssues>[0][number]): ReadonlyArray<string> => {
  const { other, part, platforms, setting, tags, time } = sortIssues([{ ...issue, message: "reworded" }], true)
  return [
    ...[0, 1, 2].flatMap((index) => {
      const { allMedia, media, mediaDoubts, platforms: ofPart, text, textDoubts } = part(index)
      return [...text, ...textDoubts, ...media(0), ...mediaDoubts(0), ...allMedia, ofPart ?? []].flat()
    }),
    ...platforms,
    ...other,
    ...[time ?? [], tags ?? [], setting({ platform: "instagram", name: "collaborators" }) ?? []].flat()
  ]
}

describe("The codes of issues", () => {
  it.effect.each(cases)(
    "$code: the API tells the code with exactly its facts, and the dashboard needs no message",
    ({ body, code, enabled, facts, file }) =>
      Effect.gen(function* () {
        const repo = repoWithKey({
          integrations: { list: () => Effect.succeed([anIntegration]) },
          posts: { readMedia: () => Effect.succeed(file === undefined ? [] : [file]) },
          queues: { get: () => Effect.succeed(unsetQueue), findFree: () => Effect.succeedNone }
        })
        const validated = yield* call(`${yield* startServer({ repo })}/v1/posts/validate`, "POST", body)
        const issue = [...validated.body.data.errors, ...(validated.body.data.warnings ?? [])].find(
          (each: { readonly code?: string }) => each.code === code
        )
        assert.isDefined(issue, validated.text)
        assert.deepStrictEqual(issue.facts, facts)
        const shown = shownWithoutMessage(issue)
        assert.lengthOf(shown, code === "file_processing" ? 0 : 1)
        assert.notInclude(shown.join(), "reworded")
      }).pipe(Effect.provideService(CurrentRules, makeRules({}, enabled)))
  )

  it("Every code is told by the API", () => {
    assert.sameMembers([...new Set(cases.map(({ code }) => code))], [...IssueCode.literals])
  })

  it("The contract documents every code", () => {
    for (const code of IssueCode.literals)
      assert.include(Schema.resolveAnnotations(IssueCode)?.description, `\`${code}\``)
  })
})
