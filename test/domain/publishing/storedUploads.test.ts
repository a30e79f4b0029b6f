import { assert, describe, it } from "@effect/vitest"
import type { Json } from "effect/Schema"
import { readStored, storeBegun, storeFailure, storeUploads } from "../../../src/domain/publishing/storedUploads.ts"

const failure = { code: "rejected", message: "No", retryable: false } as const
const nothing = { uploads: null, begun: null, failure: null, prepared: null }
const xPost = { text: "Hello", accountId: "1", preparedAt: "2030-01-31T12:00:00Z", uploads: { media: [] } }

describe("what is stored of a target", () => {
  it.each<readonly [string, Json | null, Partial<ReturnType<typeof readStored>>]>([
    ["nothing", null, {}],
    ["uploads", storeUploads({ media: [] }), { uploads: { media: [] } }],
    ["what was begun of its post", storeBegun(null, { id: "7" }), { begun: { id: "7" } }],
    ["what was begun of its uploads", storeBegun({ media: [] }, "7"), { uploads: { media: [] }, begun: "7" }],
    ["something begun that only a later version knows", { _tag: "Begun" }, {}],
    ["a refusal of its files", storeFailure(failure), { failure }],
    ["a post", { _tag: "TwitterPost", ...xPost }, { prepared: { _tag: "TwitterPost", ...xPost } }],
    ["uploads of the version before", { uploads: "files" }, { uploads: "files" }],
    ["a refusal of the version before", { uploadFailure: failure }, { failure }],
    ["a post of the version before", xPost, { prepared: xPost }],
    [
      "a post of the version before with a word for an upload",
      { uploadFailure: failure, text: "Hello" },
      { prepared: { uploadFailure: failure, text: "Hello" } }
    ],
    ["what was left of a published post", {}, { prepared: {} }],
    ["a refusal that only a later version knows", { _tag: "UploadFailure", uploadFailure: { code: "later" } }, {}]
  ])("%s is told by its tag, or by its whole shape", (_, stored, expected) => {
    assert.deepStrictEqual(readStored(stored), { ...nothing, ...expected })
  })

  it("The version before finds uploads and refusals by the members that it knows", () => {
    assert.deepInclude(storeUploads("files"), { uploads: "files" })
    assert.deepInclude(storeFailure(failure), { uploadFailure: failure })
  })
})
