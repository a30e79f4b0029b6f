import { assert, describe, it } from "vitest"
import { type Connection, makeConnectionRegistry } from "../../../src/http/node/connectionRegistry.ts"

const setUp = (maxConnections: number, maxConnectionsPerAddress = 100) => {
  const closed: Array<string> = []
  const displaced: Array<true> = []
  const registry = makeConnectionRegistry({ maxConnections, maxConnectionsPerAddress }, () => void displaced.push(true))
  const open = (name: string, address = "192.0.2.1"): Connection => {
    const admitted = registry.admit(address, () => void closed.push(name))
    assert(typeof admitted !== "string", `${name} was not admitted`)
    return admitted
  }
  return { registry, closed, displaced, open }
}

describe("connection registry", () => {
  it("A connection of an address that has its share is refused, and one of another address is admitted", () => {
    const { registry, open } = setUp(10, 2)
    const first = open("first")
    open("second")
    assert.strictEqual(
      registry.admit("192.0.2.1", () => {}),
      "address_full"
    )
    open("of another address", "192.0.2.2")
    registry.remove(first)
    open("third")
    assert.strictEqual(registry.size(), 3)
  })

  it("An IPv6 /64 network counts as one address, and so do both notations of an IPv4 address", () => {
    const { registry, open } = setUp(10, 1)
    open("v6", "2001:db8:1:2::1")
    assert.strictEqual(
      registry.admit("2001:db8:1:2:ffff::9", () => {}),
      "address_full"
    )
    open("another network", "2001:db8:1:3::1")
    open("v4", "::ffff:192.0.2.1")
    assert.strictEqual(
      registry.admit("192.0.2.1", () => {}),
      "address_full"
    )
  })

  it("A full registry closes the connection that has been idle longest", () => {
    const { registry, closed, displaced, open } = setUp(3)
    const first = open("first")
    open("second")
    const third = open("third")
    registry.requestStarted(first)
    registry.requestStarted(third)
    registry.requestEnded(first)
    open("fourth")
    open("fifth")
    assert.deepStrictEqual(closed, ["second", "first"])
    assert.lengthOf(displaced, 2)
    assert.strictEqual(registry.size(), 3)
  })

  it("A full registry refuses a connection while all others have a pending request", () => {
    const { registry, closed, open } = setUp(2)
    registry.requestStarted(open("first"))
    const second = open("second")
    registry.requestStarted(second)
    registry.requestStarted(second)
    registry.requestEnded(second)
    assert.strictEqual(
      registry.admit("192.0.2.9", () => {}),
      "process_full"
    )
    registry.requestEnded(second)
    open("third")
    assert.deepStrictEqual(closed, ["second"])
  })

  it("A connection that ended with a pending request is not counted again when it is answered", () => {
    const { registry, closed, open } = setUp(1)
    const first = open("first")
    registry.requestStarted(first)
    registry.remove(first)
    registry.remove(first)
    registry.requestEnded(first)
    open("second")
    open("third")
    assert.deepStrictEqual(closed, ["second"])
    assert.strictEqual(registry.size(), 1)
  })

  it("A shutdown first closes the connections that sent nothing, and finally all", () => {
    const { registry, closed, open } = setUp(5)
    open("silent")
    const used = open("used")
    registry.requestStarted(used)
    registry.requestEnded(used)
    registry.requestStarted(open("pending"))
    registry.closeUnused()
    assert.deepStrictEqual(closed, ["silent"])
    registry.closeAll()
    assert.sameMembers(closed, ["silent", "silent", "used", "pending"])
  })
})
