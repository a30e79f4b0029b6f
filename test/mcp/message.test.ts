import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { readMessage } from "../../src/mcp/message.ts"

const envelope = (args: string) =>
  `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"add_media","arguments":${args}}}`

describe("a message with a data URL", () => {
  it("It may be large, also if its arguments are JSON text", () => {
    const args = JSON.stringify({ url: `data:image/png;base64,${"A".repeat(2_000_000)}`, alt: "" })
    for (const written of [args, JSON.stringify(args)]) {
      const { body } = Result.getOrThrow(readMessage(envelope(written)))
      assert.include(JSON.stringify(body), `"arguments":{"url":"data:image/png`)
    }
  })

  it("Values that only seem to belong to the data URL are not parsed", () => {
    const values = "1,".repeat(600_000)
    const args = `"{\\"url\\":\\"data:\\u0022,\\u0022alt\\u0022:[${values}1]}"`
    assert.deepStrictEqual(readMessage(envelope(args)), Result.fail("TooLarge"))
  })
})
