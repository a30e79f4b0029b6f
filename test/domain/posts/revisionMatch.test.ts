import { assert, describe, it } from "@effect/vitest"
import { Option, Result } from "effect"
import { PostStatus } from "../../../src/domain/posts/post.ts"
import { formatEtag } from "../../../src/domain/plain/posts.ts"
import { checkRevision, parseIfMatch } from "../../../src/domain/posts/revisionMatch.ts"

describe("parseIfMatch", () => {
  it.each([
    ["*", "any"],
    ['"3-draft"', [{ revision: 3, status: "draft" }]],
    ['"3"', [{ revision: 3, status: null }]],
    [
      '"3-failed", "12"',
      [
        { revision: 3, status: "failed" },
        { revision: 12, status: null }
      ]
    ],
    [
      '"3"\t,"4-publishing"',
      [
        { revision: 3, status: null },
        { revision: 4, status: "publishing" }
      ]
    ],
    ['W/"3-draft"', [{ revision: 3, status: "draft" }]],
    [
      'W/"3", "4"',
      [
        { revision: 3, status: null },
        { revision: 4, status: null }
      ]
    ],
    [
      '"3-draft", , W/"2"',
      [
        { revision: 3, status: "draft" },
        { revision: 2, status: null }
      ]
    ],
    [', ,"3",', [{ revision: 3, status: null }]],
    ['"3-draft-gzip"', [{ revision: 3, status: "draft" }]],
    ['"3-draft--gzip"', [{ revision: 3, status: "draft" }]],
    ['W/"3-draft-br"', [{ revision: 3, status: "draft" }]],
    ['"3-zstd"', [{ revision: 3, status: null }]],
    ['"3-draft-gzip-br"', []],
    ['"abc"', []],
    ['"03"', []],
    ['""', []],
    ['"3-gz"', []],
    ['"3-drafts"', []],
    ['"-draft"', []]
  ] as const)("The header %s accepts %j", (header, expected) => {
    assert.deepStrictEqual(parseIfMatch(header), Option.some(expected))
  })

  it.each(["", "3", "'3'", '"3', '3"', '"3" "4"', ",", " , ,", '"3", x', '"3",* ', '*, "3"', "**", 'w/"3"', '"a b"'])(
    "The header %j is malformed",
    (header) => {
      assert.deepStrictEqual(parseIfMatch(header), Option.none())
    }
  )

  it("A long malformed header is refused in no time", () => {
    assert.deepStrictEqual(parseIfMatch(`${'"1", '.repeat(10_000)}x`), Option.none())
    assert.deepStrictEqual(parseIfMatch(`"1"${" ,\t".repeat(10_000)}x`), Option.none())
    assert.deepStrictEqual(parseIfMatch(`${", ".repeat(10_000)}x`), Option.none())
  })

  const accepts = (etag: string, revision: number, status: PostStatus) =>
    Result.isSuccess(checkRevision({ revision, status }, Option.getOrUndefined(parseIfMatch(etag))))

  it("A post's entity tag matches its revision in its status and nothing else", () => {
    for (const status of PostStatus.literals) {
      const etag = formatEtag({ revision: 7, status })
      assert.deepStrictEqual(
        PostStatus.literals.filter((other) => accepts(etag, 7, other)),
        [status]
      )
      assert.isFalse(accepts(etag, 8, status))
    }
  })

  it("An entity tag of the revision alone matches it in every status", () => {
    assert.isTrue(PostStatus.literals.every((status) => accepts('"7"', 7, status)))
    assert.isFalse(accepts('"7"', 8, "draft"))
  })

  it("Any revision in any status matches without a condition and with *", () => {
    assert.isTrue(accepts("*", 8, "failed"))
    assert.isTrue(Result.isSuccess(checkRevision({ revision: 8, status: "draft" }, undefined)))
  })
})
