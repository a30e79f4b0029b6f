import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { call, errorPaths } from "../../support/http/client.ts"
import { NotFound } from "../../../src/domain/errors.ts"
import { repoWithKey, ServerUrl } from "../../support/http/server.ts"
import { postId } from "../../support/http/samplePosts.ts"

const valid = { content: "Hello", platforms: ["twitter"] }
const members =
  "content, platforms, schedule_at, schedule, tags, platform_overrides, platform_settings, media, thread, group_id, status"

const invalidBodies: ReadonlyArray<{
  readonly what: string
  readonly body: unknown
  readonly errors: ReadonlyArray<{ readonly path: ReadonlyArray<string | number>; readonly message: RegExp }>
}> = [
  {
    what: "required members missing",
    body: {},
    errors: [
      { path: ["content"], message: /required/ },
      { path: ["platforms"], message: /required/ }
    ]
  },
  {
    what: "scheduled_at, which is called schedule_at here",
    body: { ...valid, scheduled_at: "1970-01-02T00:00:00Z" },
    errors: [{ path: ["scheduled_at"], message: new RegExp(`^Unknown member; the members are ${members}$`) }]
  },
  {
    what: "a blank content",
    body: { ...valid, content: " \n\t" },
    errors: [{ path: ["content"], message: /not blank/ }]
  },
  {
    what: "a content of invisible characters",
    body: { ...valid, content: "\u200B\u200D\uFE0F" },
    errors: [{ path: ["content"], message: /not blank/ }]
  },
  {
    what: "a content that is no string",
    body: { ...valid, content: 1 },
    errors: [{ path: ["content"], message: /string/ }]
  },
  { what: "no platforms", body: { ...valid, platforms: [] }, errors: [{ path: ["platforms"], message: /at least 1/ }] },
  {
    what: "a repeated platform",
    body: { ...valid, platforms: ["twitter", "twitter"] },
    errors: [{ path: ["platforms"], message: /unique/ }]
  },
  {
    what: "an unknown platform",
    body: { ...valid, platforms: ["bluesky", "myspace"] },
    errors: [{ path: ["platforms", 1], message: /"twitter"/ }]
  },
  {
    what: "an unknown platform in overrides and in settings",
    body: { ...valid, platform_overrides: { myspace: "a" }, platform_settings: { orkut: {} } },
    errors: [
      { path: ["platform_overrides", "myspace"], message: /Unknown member; the members are twitter, bluesky/ },
      { path: ["platform_settings", "orkut"], message: /Unknown member/ }
    ]
  },
  {
    what: "other names of platforms",
    body: {
      content: "Hello",
      platforms: ["x", "Bsky", "twitter", "Facebook", "myspace"],
      platform_overrides: { ig: "a" },
      platform_settings: { yt: {} }
    },
    errors: [
      { path: ["platforms", 0], message: /"facebook"; did you mean "twitter"\?$/ },
      { path: ["platforms", 1], message: /; did you mean "bluesky"\?$/ },
      { path: ["platforms", 3], message: /; did you mean "facebook"\?$/ },
      { path: ["platforms", 4], message: /"facebook"$/ },
      { path: ["platform_overrides", "ig"], message: /; did you mean "instagram"\?$/ },
      { path: ["platform_settings", "yt"], message: /; did you mean "youtube"\?$/ }
    ]
  },
  ...["javascript:alert(1)", "http://example.com/a.png", "https://", "a.png", ""].map((thumbnail_url) => ({
    what: `the thumbnail ${thumbnail_url || "without an address"}`,
    body: { ...valid, platform_settings: { youtube: { thumbnail_url } } },
    errors: [{ path: ["platform_settings", "youtube", "thumbnail_url"], message: /^Expected an https URL$/ }]
  })),
  {
    what: "an invalid value of a listed setting",
    body: { ...valid, platform_settings: { twitter: { who_can_reply: "nobody" }, tiktok: { allow_duet: "yes" } } },
    errors: [
      { path: ["platform_settings", "twitter", "who_can_reply"], message: /"everyone"/ },
      { path: ["platform_settings", "tiktok", "allow_duet"], message: /boolean/ }
    ]
  },
  {
    what: "a wrong setting, a tag that is too long and a text that is too long",
    body: {
      ...valid,
      content: "a".repeat(281),
      tags: ["a".repeat(51)],
      platform_settings: { twitter: { who_can_reply: "nobody" } },
      schedule_at: "1970-01-02T00:00:00Z"
    },
    errors: [
      { path: ["platform_settings", "twitter", "who_can_reply"], message: /"everyone"/ },
      { path: ["tags", 0], message: /50/ },
      { path: ["content"], message: /281/ }
    ]
  },
  {
    what: "a time without a zone",
    body: { ...valid, schedule_at: "1970-01-02T00:00:00" },
    errors: [{ path: ["schedule_at"], message: /zone/ }]
  },
  {
    what: "30 February",
    body: { ...valid, schedule_at: "1972-02-30T00:00:00Z" },
    errors: [{ path: ["schedule_at"], message: /ISO 8601/ }]
  },
  {
    what: "a time as a number",
    body: { ...valid, schedule_at: 86400 },
    errors: [{ path: ["schedule_at"], message: /string/ }]
  },
  {
    what: "a time 181 days ahead",
    body: { ...valid, schedule_at: "1970-07-01T00:00:00Z" },
    errors: [{ path: ["schedule_at"], message: /180 days/ }]
  },
  {
    what: "a time 6 minutes past",
    body: { ...valid, schedule_at: "1969-12-31T23:54:00Z" },
    errors: [{ path: ["schedule_at"], message: /5 minutes/ }]
  },
  {
    what: "a status that clients can't set",
    body: { ...valid, status: "published" },
    errors: [{ path: ["status"], message: /"draft" \| "scheduled"/ }]
  },
  {
    what: "the status scheduled and no time",
    body: { ...valid, status: "scheduled" },
    errors: [{ path: ["schedule_at"], message: /time/ }]
  },
  {
    what: "a group id that is no UUID",
    body: { ...valid, group_id: "launch" },
    errors: [{ path: ["group_id"], message: /UUID/ }]
  },
  { what: "a NUL character", body: { ...valid, content: "a\0b" }, errors: [{ path: ["content"], message: /NUL/ }] },
  {
    what: "an unpaired surrogate",
    body: { ...valid, tags: ["fine", "\ud83d"] },
    errors: [{ path: ["tags", 1], message: /surrogate/ }]
  },
  {
    what: "tags that are empty or blank",
    body: { ...valid, tags: ["fine", "", " \t"] },
    errors: [
      { path: ["tags", 1], message: /not blank/ },
      { path: ["tags", 2], message: /not blank/ }
    ]
  },
  {
    what: "tags with invisible and direction-changing characters",
    body: { ...valid, tags: ["Größe 👩‍💻 🏴󠁧󠁢󠁥󠁮󠁧󠁿", "sum\u202emer", "re\u200blease", "\u3164"] },
    errors: [1, 2, 3].map((index) => ({
      path: ["tags", index],
      message: /without invisible and direction-changing characters/
    }))
  },
  {
    what: "tags without a visible character, or of several lines",
    body: { ...valid, tags: ["\u2800", "\u200D\uFE0F", "a\nb", "a\u2028b", "promo\u200D"] },
    errors: [
      { path: ["tags", 0], message: /a visible character/ },
      { path: ["tags", 1], message: /without invisible/ },
      { path: ["tags", 2], message: /one line/ },
      { path: ["tags", 3], message: /one line/ },
      { path: ["tags", 4], message: /without invisible/ }
    ]
  },
  {
    what: "a text that is too long and a time that is past",
    body: { ...valid, content: "a".repeat(281), schedule_at: "1969-12-31T23:54:00Z" },
    errors: [
      { path: ["schedule_at"], message: /5 minutes/ },
      { path: ["content"], message: /^twitter accepts a length of 280 weighted characters, but this text has 281$/ }
    ]
  },
  {
    what: "a text that is too long, the status scheduled and no time",
    body: { ...valid, content: "a".repeat(281), status: "scheduled" },
    errors: [
      { path: ["schedule_at"], message: /^Expected a time/ },
      { path: ["content"], message: /^twitter accepts a length of 280 weighted characters, but this text has 281$/ }
    ]
  },
  {
    what: "a blank content, the status scheduled and no time",
    body: { ...valid, content: " ", status: "scheduled" },
    errors: [
      { path: ["content"], message: /not blank/ },
      { path: ["schedule_at"], message: /^Expected a time/ }
    ]
  },
  {
    what: "a draft's text that is too long, which it may be, and an unknown member",
    body: { ...valid, content: "a".repeat(281), schedule_at: "1970-01-02T00:00:00Z", status: "draft", extra: 1 },
    errors: [{ path: ["extra"], message: /Unknown member/ }]
  },
  {
    what: "too many bytes and a text that is too long",
    body: {
      ...valid,
      content: "a".repeat(281),
      platform_overrides: {
        linkedin: "日".repeat(10_000),
        threads: "日".repeat(10_000),
        facebook: "日".repeat(10_000)
      },
      schedule_at: "1970-01-02T00:00:00Z"
    },
    errors: [
      { path: [], message: /64,000 bytes/ },
      { path: ["content"], message: /^twitter accepts a length of 280 weighted characters, but this text has 281$/ }
    ]
  },
  {
    what: "many invalid fields",
    body: {
      content: "a\0",
      platforms: ["x"],
      schedule_at: "1970-07-01T00:00:00Z",
      tags: "a",
      platform_overrides: { twitter: 1 },
      group_id: 1,
      status: "x",
      extra: 1
    },
    errors: [
      { path: ["extra"], message: /Unknown member/ },
      { path: ["content"], message: /NUL/ },
      { path: ["platforms", 0], message: /"twitter"/ },
      { path: ["schedule_at"], message: /180 days/ },
      { path: ["tags"], message: /array/ },
      { path: ["platform_overrides", "twitter"], message: /string/ },
      { path: ["group_id"], message: /./ },
      { path: ["status"], message: /./ }
    ]
  }
]

layer(ServerUrl.layer())("POST /v1/posts with an invalid body", (it) => {
  it.effect.each(invalidBodies)(
    "A body with $what gets a 400 with the path and message of each error",
    ({ body, errors }) =>
      Effect.gen(function* () {
        const url = yield* ServerUrl
        const response = yield* call(`${url}/v1/posts`, "POST", body)
        assert.strictEqual(response.status, 400)
        assert.strictEqual(response.body.code, "invalid_request")
        assert.deepStrictEqual(
          errorPaths(response.body),
          errors.map((error) => error.path)
        )
        errors.forEach(({ message }, index) => assert.match(response.body.errors[index].message, message))
      })
  )
})

layer(
  ServerUrl.layer({
    repo: repoWithKey({ posts: { update: () => new NotFound({ message: "There is no such post" }) } })
  })
)("PATCH /v1/posts/{id} with an invalid body", (it) => {
  it.effect("Every invalid field is listed, and for an unknown member the known ones", () =>
    Effect.gen(function* () {
      const url = yield* ServerUrl
      const { status, body } = yield* call(`${url}/v1/posts/${postId}`, "PATCH", {
        schedule_at: null,
        content: 1,
        scheduled_at: "1969-12-31T23:54:00Z"
      })
      assert.strictEqual(status, 400)
      assert.deepStrictEqual(body.errors, [
        {
          path: ["schedule_at"],
          message:
            "Unknown member; the members are content, platforms, scheduled_at, schedule, tags, platform_overrides, platform_settings, media, thread, status, keep_approval_request"
        },
        { path: ["content"], message: "Expected string | null" },
        {
          path: ["scheduled_at"],
          message: "Expected a time that is not past by more than 5 minutes",
          code: "time_past"
        }
      ])
    })
  )
})
