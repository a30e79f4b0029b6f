import { aPlatform, aTime, notJson, problem, tooLarge, wrong } from "./answers.ts"
import type { HostileCase } from "./case.ts"
import { creating, good, raw, request } from "./request.ts"

const json = "Content-Type: application/json"
const post = `POST /v1/posts/validate HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n${json}\r\n`

const chunked = (body: string) => raw(post, "Transfer-Encoding: chunked\r\n\r\n", body)

const mistakes = Array.from({ length: 100 }, (_, index) => ({ path: ["platforms", index], message: aPlatform }))
const toldInOneLine = mistakes.slice(0, 10).map(({ path, message }) => `${path.join(".")}: ${message}`)
const manyWrong = problem(400, "invalid_request", [...toldInOneLine, "and 90 more"].join("; "), { errors: mistakes })

export const sizes: ReadonlyArray<HostileCase> = [
  {
    title: "a byte over a mebibyte",
    send: creating(good({ tags: [] }).padEnd(1_048_577)),
    answers: [tooLarge],
    closes: true
  },
  {
    title: "a mebibyte to the byte",
    send: request("POST /v1/posts/validate", { headers: [json], body: good().padEnd(1_048_576) }),
    answers: [
      {
        status: 200,
        body: '{"data":{"valid":true,"errors":[],"targets":[{"platform":"twitter","length":5,"limit":280,"valid":true}]}}'
      }
    ]
  },
  {
    title: "ten gigabytes that are announced",
    send: raw(post, "Content-Length: 10000000000\r\n\r\n", "{"),
    answers: [tooLarge],
    closes: true
  },
  {
    title: "ten gigabytes that wait to be asked for",
    send: raw(post, "Content-Length: 10000000000\r\nExpect: 100-continue\r\n\r\n"),
    answers: [tooLarge],
    closes: true
  },
  {
    title: "two mebibytes in chunks",
    send: chunked(`100000\r\n${" ".repeat(0x100000)}\r\n100000\r\n${" ".repeat(0x100000)}\r\n0\r\n\r\n`),
    answers: [tooLarge],
    closes: true
  },
  {
    title: "fifty thousand chunks of a byte",
    send: chunked(`${"1\r\n \r\n".repeat(50_000)}0\r\n\r\n`),
    answers: [notJson("Unexpected end of JSON input")]
  },
  {
    title: "a content of 10,001 letters",
    send: creating(good({ content: "a".repeat(10_001) })),
    answers: [wrong(["content", "Expected a text of at most 10000 UTF-16 code units"])]
  },
  {
    title: "a replacement of 10,001 letters",
    send: creating(good({ platform_overrides: { bluesky: "a".repeat(10_001) } })),
    answers: [wrong(["platform_overrides.bluesky", "Expected a text of at most 10000 UTF-16 code units"])]
  },
  {
    title: "a tag of 257 letters",
    send: creating(good({ tags: ["a".repeat(257)] })),
    answers: [wrong(["tags.0", "Expected a value with a length of at most 256"])]
  },
  {
    title: "101 tags",
    send: creating(good({ tags: Array(101).fill("a") })),
    answers: [wrong(["tags", "Expected a value with a length of at most 100"])]
  },
  {
    title: "a thousand platforms",
    send: creating(good({ platforms: Array(1000).fill("twitter") })),
    answers: [wrong(["platforms", "Expected an array with unique items"])]
  },
  {
    title: "three hundred mistakes, of which a hundred are told",
    send: creating(good({ platforms: Array(300).fill("x") })),
    answers: [manyWrong]
  },
  {
    title: "a content of nothing but spaces, a mebibyte of them",
    send: creating(good({ content: " ".repeat(1_000_000) })),
    answers: [
      wrong(
        ["content", "Expected a text of at most 10000 UTF-16 code units"],
        ["content", "Expected a text that is not blank"]
      )
    ]
  },
  {
    title: "a time of a hundred thousand digits",
    send: creating(good({ schedule_at: `${"1".repeat(100_000)}-01-01T00:00:00Z` })),
    answers: [wrong(["schedule_at", aTime])]
  },
  {
    title: "a group of a hundred thousand letters",
    send: creating(good({ group_id: "a".repeat(100_000) })),
    answers: [wrong(["group_id", "Expected a UUID"])]
  },
  {
    title: "nearly two thousand mentions too many to schedule",
    send: creating(good({ content: "@a.b ".repeat(1_999), schedule_at: "1970-01-02T00:00:00Z" })),
    answers: [
      problem(400, "content_too_long", "twitter takes 280, this is 9995", {
        violations: [{ platform: "twitter", length: 9995, limit: 280 }]
      })
    ]
  },
  {
    title: "links without an end",
    send: creating(good({ content: `http://a.co/${"(".repeat(9_900)}`, schedule_at: "1970-01-02T00:00:00Z" })),
    answers: [
      problem(400, "content_too_long", "twitter takes 280, this is 9912", {
        violations: [{ platform: "twitter", length: 9912, limit: 280 }]
      })
    ]
  },
  {
    title: "one character of nearly ten thousand accents",
    send: creating(good({ content: `a${"\u0301".repeat(9_995)}`, schedule_at: "1970-01-02T00:00:00Z" })),
    answers: [
      problem(400, "content_too_long", "twitter takes 280, this is 9995", {
        violations: [{ platform: "twitter", length: 9995, limit: 280 }]
      })
    ]
  }
]
