import {
  bodyTooLarge,
  expectedPlatform,
  expectedTime,
  invalid,
  malformed,
  notJson,
  problem,
  tooLong
} from "./expectedResponses.ts"
import { type Bytes, casesWith, type HostileCase, listCases } from "./hostileCase.ts"
import { create, createWith, jsonType, request, validate, validateChunked, validBody } from "./requestBytes.ts"

const mebibyte = 0x100000

const contentTooLong = (length: number) =>
  problem(400, "content_too_long", `twitter accepts a length of 280 weighted characters, but this text has ${length}`, {
    violations: [{ platform: "twitter", length, limit: 280, unit: "weighted characters" }]
  })

const issues = Array.from({ length: 100 }, (_, index) => ({ path: ["platforms", index], message: expectedPlatform }))
const summary = issues.slice(0, 10).map(({ path, message }) => `${path.join(".")}: ${message}`)
const hundredIssues = problem(400, "invalid_request", [...summary, "and 90 more"].join("; "), { errors: issues })

const schedule = (content: string) => createWith({ content, schedule_at: "1970-01-02T00:00:00Z" })

export const oversized: ReadonlyArray<HostileCase> = [
  ...casesWith(bodyTooLarge, (send: Bytes) => send, {
    "a body of a byte over a mebibyte": create(validBody({ tags: [] }).padEnd(mebibyte + 1)),
    "an announced body of ten gigabytes": validate("Content-Length: 10000000000\r\n\r\n", "{"),
    "an announced body of ten gigabytes that waits for 100 Continue": validate(
      "Content-Length: 10000000000\r\nExpect: 100-continue\r\n\r\n"
    ),
    "two mebibytes in chunks": validateChunked(
      `100000\r\n${" ".repeat(mebibyte)}\r\n100000\r\n${" ".repeat(mebibyte)}\r\n0\r\n\r\n`
    )
  }),
  ...listCases(
    (send: Bytes) => send,
    [
      "a body of exactly a mebibyte",
      request("POST /v1/posts/validate", { headers: [jsonType], body: validBody().padEnd(mebibyte) }),
      {
        status: 200,
        body: '{"data":{"valid":true,"errors":[],"targets":[{"platform":"twitter","length":5,"limit":280,"valid":true}],"cost_estimate":{"usd":0.015,"note":"1 post on X; X charges $0.015 a post and $0.200 for one with a link (November 2026)"}}}'
      }
    ],
    [
      "fifty thousand chunks of a byte",
      validateChunked(`${"1\r\n \r\n".repeat(50_000)}0\r\n\r\n`),
      notJson("Unexpected end of JSON input")
    ]
  ),
  ...listCases(
    createWith,
    [
      "a content of 10,001 letters",
      { content: "a".repeat(10_001) },
      invalid(tooLong("content", "Expected a text of at most 10000 UTF-16 code units", 10_000))
    ],
    [
      "an override of 10,001 letters",
      { platform_overrides: { bluesky: "a".repeat(10_001) } },
      invalid(tooLong("platform_overrides.bluesky", "Expected a text of at most 10000 UTF-16 code units", 10_000))
    ],
    [
      "a tag of 257 letters",
      { tags: ["a".repeat(257)] },
      invalid(tooLong("tags.0", "Expected a value with a length of at most 256", 256))
    ],
    [
      "101 tags",
      { tags: Array(101).fill("a") },
      invalid(["tags", "Expected a value with a length of at most 100", { code: "too_many", facts: { limit: 100 } }])
    ],
    [
      "a thousand duplicate platforms",
      { platforms: Array(1000).fill("twitter") },
      invalid(malformed("platforms", "an array with unique items"))
    ],
    [
      "three hundred invalid platforms, of which a hundred are listed",
      { platforms: Array(300).fill("y") },
      hundredIssues
    ],
    [
      "a content of a million spaces",
      { content: " ".repeat(1_000_000) },
      invalid(tooLong("content", "Expected a text of at most 10000 UTF-16 code units", 10_000), [
        "content",
        "Expected a text that is not blank",
        { code: "text_blank" }
      ])
    ],
    [
      "a time of a hundred thousand digits",
      { schedule_at: `${"1".repeat(100_000)}-01-01T00:00:00Z` },
      invalid(["schedule_at", expectedTime])
    ],
    [
      "a group id of a hundred thousand letters",
      { group_id: "a".repeat(100_000) },
      invalid(malformed("group_id", "a UUID"))
    ]
  ),
  ...listCases(
    schedule,
    ["two thousand mentions to be scheduled", "@a.b ".repeat(1_999), contentTooLong(9995)],
    ["an unclosed link to be scheduled", `http://a.co/${"(".repeat(9_900)}`, contentTooLong(9912)],
    [
      "a character of ten thousand combining accents to be scheduled",
      `a${"\u0301".repeat(9_995)}`,
      contentTooLong(9995)
    ]
  )
]
