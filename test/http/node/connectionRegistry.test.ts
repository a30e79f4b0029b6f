import { assert, describe, it } from "vitest"
import { type Connection, makeConnectionRegistry } from "../../../src/http/node/connectionRegistry.ts"

const makeWorld = (maxConnections: number, maxConnectionsPerAddress = 100) => {
  const closed: Array<string> = []
  const displaced: Array<true> = []
  const book = makeConnectionRegistry({ maxConnections, maxConnectionsPerAddress }, () => void displaced.push(true))
  const open = (name: string, address = "192.0.2.1"): Connection => {
    const admitted = book.admit(address, () => void closed.push(name))
    assert(typeof admitted !== "string", `${name} was not admitted`)
    return admitted
  }
  return { book, closed, displaced, open }
}

describe("The book of connections", () => {
  it("refuses those of one address beyond its share, and takes others'", () => {
    const { book, open } = makeWorld(10, 2)
    const first = open("first")
    open("second")
    assert.strictEqual(
      book.admit("192.0.2.1", () => {}),
      "address_full"
    )
    open("another's", "192.0.2.2")
    book.remove(first)
    open("third")
    assert.strictEqual(book.size(), 3)
  })

  it("counts a subscriber's whole network of IPv6 as one address, and an IPv4 address in either form", () => {
    const { book, open } = makeWorld(10, 1)
    open("v6", "2001:db8:1:2::1")
    assert.strictEqual(
      book.admit("2001:db8:1:2:ffff::9", () => {}),
      "address_full"
    )
    open("another network", "2001:db8:1:3::1")
    open("v4", "::ffff:192.0.2.1")
    assert.strictEqual(
      book.admit("192.0.2.1", () => {}),
      "address_full"
    )
  })

  it("makes room by closing the one that has gone longest without being owed an answer", () => {
    const { book, closed, displaced, open } = makeWorld(3)
    const first = open("first")
    open("second")
    const third = open("third")
    book.requestStarted(first)
    book.requestStarted(third)
    book.requestEnded(first)
    open("fourth")
    open("fifth")
    assert.deepStrictEqual(closed, ["second", "first"])
    assert.lengthOf(displaced, 2)
    assert.strictEqual(book.size(), 3)
  })

  it("refuses where every connection is owed an answer", () => {
    const { book, closed, open } = makeWorld(2)
    book.requestStarted(open("first"))
    const second = open("second")
    book.requestStarted(second)
    book.requestStarted(second)
    book.requestEnded(second)
    assert.strictEqual(
      book.admit("192.0.2.9", () => {}),
      "process_full"
    )
    book.requestEnded(second)
    open("third")
    assert.deepStrictEqual(closed, ["second"])
  })

  it("does not take in again a connection that left while it was owed an answer", () => {
    const { book, closed, open } = makeWorld(1)
    const first = open("first")
    book.requestStarted(first)
    book.remove(first)
    book.remove(first)
    book.requestEnded(first)
    open("second")
    open("third")
    assert.deepStrictEqual(closed, ["second"])
    assert.strictEqual(book.size(), 1)
  })

  it("closes at a stop those that nothing was read from, and all in the end", () => {
    const { book, closed, open } = makeWorld(5)
    open("silent")
    const asked = open("asked")
    book.requestStarted(asked)
    book.requestEnded(asked)
    book.requestStarted(open("owed"))
    book.closeUnused()
    assert.deepStrictEqual(closed, ["silent"])
    book.closeAll()
    assert.sameMembers(closed, ["silent", "silent", "asked", "owed"])
  })
})
