import { assert, describe, it } from "vitest"
import { documented, table } from "./standIn.ts"

/** What an API key may call, by the document. */
const ofKeys = Object.entries(documented.paths).flatMap(([path, operations]) =>
  Object.entries(operations)
    .filter(([, { security }]) => security.some((scheme) => "apiKey" in scheme))
    .map(([verb]) => `${verb.toUpperCase()} ${path}`)
)

describe("the operations of the client", () => {
  it("The client has a method for each operation of the document that an API key may call, and no other", () => {
    const methods = Object.values(table).flatMap((resource) =>
      Object.values(resource).map((words) => words.split(" ", 2).join(" "))
    )
    assert.isAbove(methods.length, 20)
    assert.sameMembers(methods, ofKeys)
  })
})
