import { assert, describe, it } from "@effect/vitest"
import { sessionFrom } from "../../../src/platforms/bluesky/session.ts"

/** Where an account is posted to that a service has opened a session for, by its DID document. */
const pdsOf = (serviceEndpoint: unknown, service = "https://bsky.social") =>
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

describe("The PDS of an account", () => {
  it("is what its DID document names, without anything after the host", () => {
    assert.strictEqual(pdsOf("https://morel.us-east.host.bsky.network/"), "https://morel.us-east.host.bsky.network")
    assert.strictEqual(pdsOf("https://pds.example:8443/a?b"), "https://pds.example:8443")
    assert.strictEqual(pdsOf("https://pds.xn--p1ai"), "https://pds.xn--p1ai")
  })

  it("is none of its own where the document names the service", () => {
    assert.isNull(pdsOf("https://bsky.social/xrpc"))
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
  ])("is not where nobody should send tokens, whatever the document says: %j", (endpoint) => {
    assert.isNull(pdsOf(endpoint))
  })

  it("can be on this machine where the service is", () => {
    assert.strictEqual(pdsOf("http://127.0.0.1:3001", "http://localhost:3000"), "http://127.0.0.1:3001")
    assert.isNull(pdsOf("ftp://127.0.0.1:3001", "http://localhost:3000"))
  })
})
