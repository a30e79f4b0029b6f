import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { ConnectBluesky } from "../../src/api/accounts/integrationBodies.ts"
import { UpdateMedia } from "../../src/api/media/mediaBodies.ts"
import { RejectPost, ResolveTarget } from "../../src/api/posts/Approvals.ts"
import { bodyParseOptions, CreatePost, UpdatePost } from "../../src/api/posts/postBodies.ts"
import { describeField, fieldError } from "../../src/dashboard/api/fieldWords.ts"
import { sortIssues } from "../../src/dashboard/pages/compose/issues.ts"
import { Issue } from "../../src/domain/errors.ts"
import { livePlatforms } from "../../src/domain/plain/platforms.ts"
import { Line, Name } from "../../src/domain/name.ts"
import { EmailAddress, NewEmailAddress, NewPassword } from "../../src/domain/people/session.ts"
import { listIssues } from "../../src/http/issues.ts"
import type { Setting } from "../../src/platforms/Platform.ts"
import { settings } from "../../src/platforms/settings.ts"

/** The fields that people fill in, with the schemas that the service reads them by. */
const bodies = {
  CreatePost,
  UpdatePost,
  RejectPost,
  ResolveTarget,
  UpdateMedia,
  ConnectBluesky,
  others: Schema.Struct({
    name: Name,
    description: Line,
    email: EmailAddress,
    invited: NewEmailAddress,
    password: NewPassword
  })
}

const hostile = [
  "",
  " ",
  "x",
  "a@b@c",
  "ä@example.com",
  "a\nb",
  "a\u0000b",
  "a\ud800b",
  "\u202etxt",
  "javascript:alert(1)",
  "x".repeat(20_000)
]

/** A value in every field that takes a text, also in lists and in objects. */
const bodyWith = (text: string) => ({
  alt: text,
  app_password: text,
  content: text,
  description: text,
  email: text,
  identifier: text,
  invited: text,
  media: [{ id: "01981ccb-6c31-7d2c-9f47-000000000001", alt: text }],
  name: text,
  password: text,
  platform_overrides: { twitter: text },
  reason: text,
  service: text,
  tags: [text],
  thread: [{ content: text }],
  url: text
})

const encode = Schema.encodeUnknownSync(Schema.Array(Issue))

const issuesOf = (schema: Schema.Decoder<unknown>, text: string) =>
  encode(
    Result.match(Schema.decodeResult(schema)(bodyWith(text), { ...bodyParseOptions, onExcessProperty: "ignore" }), {
      onFailure: (error) => listIssues(error),
      onSuccess: () => []
    })
  ).filter(({ path }) => path.some((step) => typeof step === "string" && step in bodyWith("")))

const jargon = /UTF-16|code unit|[Ss]chema|surrogate|NUL|a value with|Expected|undefined/

describe("What is wrong with a field, in words for people", () => {
  it.each(Object.entries(bodies))("No word of a program reaches people, whatever they type: %s", (_name, schema) => {
    const sentences = hostile.flatMap((text) =>
      issuesOf(schema, text)
        // A member that is missing is never a field that somebody fills in.
        .filter(({ message }) => message !== "This member is required")
        .map(describeField)
    )
    assert.deepStrictEqual(
      sentences.filter((sentence) => jargon.test(sentence)),
      []
    )
  })

  it("An address that is none says how one looks, and a text that is too long how much is possible", () => {
    const error = (text: string) => {
      const errors = issuesOf(bodies.others, text)
      return {
        _tag: "ApiError",
        status: 400,
        code: "invalid_request",
        detail: "",
        errors,
        retryAfter: null,
        requestId: null,
        problem: {}
      } as const
    }
    assert.strictEqual(fieldError(error("x"), "email"), "This has to be an email address, such as name@example.com.")
    assert.strictEqual(
      fieldError(error("x".repeat(101)), "name"),
      "At most 100 characters are possible. Make it shorter."
    )
    assert.isUndefined(fieldError(error("x"), "other"))
  })

  it.each(
    livePlatforms.flatMap((platform) =>
      Object.entries<Setting>(settings[platform]).map(([name, setting]) => ({ platform, name, setting }))
    )
  )("What a refused $name of $platform has to be is a proper sentence", ({ setting }) => {
    const expected = "expected" in setting ? setting.expected : setting.description
    const sentence = describeField({ code: "malformed", facts: { expected }, path: [], message: "" })
    assert.notMatch(sentence, /`|has to be \p{Lu}/u)
    assert.match(sentence, /\.$/)
  })

  it("A text that no platform takes is offered to be split, and the same sentence stands once", () => {
    const issues = issuesOf(CreatePost, "x".repeat(20_000))
    const { part } = sortIssues(issues, true)
    assert.deepStrictEqual(part(0).text, [
      "A post can have at most 10,000 characters. Make it shorter, or split it into a thread where the platform has threads."
    ])
    assert.lengthOf(part(0).media(0), 1)
  })
})
