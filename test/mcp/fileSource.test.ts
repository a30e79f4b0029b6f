import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { FileSource } from "../../src/mcp/fileSource.ts"

const isSource = Schema.is(FileSource)

describe("The source of a file for an agent", () => {
  it.each(["AA==", "AAA=\n", "AA\n==", "AA=\n=", "AA\r\n=\r\n=\r\n", "A\nA\n=\n=\n", "AAAA", "AA-_"])(
    "Base64 may have a line break anywhere: %j",
    (bytes) => {
      assert.isTrue(isSource(`data:image/png;base64,${bytes}`))
    }
  )

  it.each(["AA===", "A=A=", "AA= =", "AA!=", "\n==", "="])("%j is no base64", (bytes) => {
    assert.isFalse(isSource(`data:image/png;base64,${bytes}`))
  })
})
