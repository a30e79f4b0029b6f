import { assert, describe, it } from "@effect/vitest"
import { sessionFrom } from "../../../src/platforms/bluesky/session.ts"

/** The PDS of a session that a service created, from the account's DID document. */
const pdsUrl = (serviceEndpoint: unknown, service = "https://bsky.social") =>
  sessionFrom(
    {
      accessJwt: "access",
      refreshJwt: "refresh",
      did: "did:plc:abc",
      handle: "ada.example",
      didDoc: { service: [{ id: "#atproto_pds", serviceEndpoint }] }
    },
    service
  ).pdsUrl

describe("sessionFrom", () => {
  it("The PDS is the origin that the DID document names", () => {
    assert.strictEqual(pdsUrl("https://morel.us-east.host.bsky.network/"), "https://morel.us-east.host.bsky.network")
    assert.strictEqual(pdsUrl("https://pds.example:8443/a?b"), "https://pds.example:8443")
    assert.strictEqual(pdsUrl("https://pds.xn--p1ai"), "https://pds.xn--p1ai")
  })

  it("The PDS is null if the DID document names the service itself", () => {
    assert.isNull(pdsUrl("https://bsky.social/xrpc"))
  })

  it.each([
    "http://pds.example",
    "https://127.0.0.1",
    "https://2130706433",
    "https://0x7f.1",
    "https://[::1]",
    "https://[::ffff:10.0.0.1]:8443",
    "https://169.254.169.254/latest",
    "https://localhost",
    "https://database",
    "ftp://pds.example",
    "javascript:alert(1)",
    "",
    null,
    { uri: "https://pds.example" }
  ])("The PDS is null if the DID document names an unsafe place to send tokens to: %j", (endpoint) => {
    assert.isNull(pdsUrl(endpoint))
  })

  it("The PDS can be on this machine if the service is", () => {
    assert.strictEqual(pdsUrl("http://127.0.0.1:3001", "http://localhost:3000"), "http://127.0.0.1:3001")
    assert.isNull(pdsUrl("ftp://127.0.0.1:3001", "http://localhost:3000"))
  })
})
