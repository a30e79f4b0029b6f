import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isPublicAddress } from "../../src/outbound/addresses.ts"
import { checkUrl, type OutboundPolicy } from "../../src/outbound/policy.ts"

const strict: OutboundPolicy = { http: false, anyPort: false, loopback: false }

const refusal = (url: string, policy: OutboundPolicy = strict): string | undefined =>
  Result.match(checkUrl(policy, url), { onFailure: ({ message }) => message, onSuccess: () => undefined })

describe("isPublicAddress", () => {
  it.each([
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "172.31.255.255",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.1.1",
    "198.18.0.1",
    "198.51.100.7",
    "203.0.113.7",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255"
  ])("The IPv4 address %s is not public", (address) => {
    assert.isFalse(isPublicAddress(address))
  })

  it.each([
    ["unspecified", "::"],
    ["loopback", "::1"],
    ["mapped loopback", "::ffff:127.0.0.1"],
    ["mapped private", "::ffff:a00:1"],
    ["mapped public", "::ffff:8.8.8.8"],
    ["compatible loopback", "::127.0.0.1"],
    ["NAT64 of a private one", "64:ff9b::10.0.0.1"],
    ["NAT64 of this network", "64:ff9b:1::a00:1"],
    ["6to4 of a private one", "2002:a00:1::"],
    ["Teredo", "2001:0:a00:1::"],
    ["documentation", "2001:db8::1"],
    ["newer documentation", "3fff::1"],
    ["unique local", "fd00::1"],
    ["unique local of a cloud's metadata", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["segment routing", "5f00::1"],
    ["discard-only", "100::1"]
  ])("An IPv6 address that is %s is not public", (_, address) => {
    assert.isFalse(isPublicAddress(address))
  })

  it.each([
    "8.8.8.8",
    "172.15.255.255",
    "172.32.0.0",
    "192.0.3.1",
    "223.255.255.255",
    "2606:4700::1111",
    "2a00:1450::1"
  ])("The address %s is public", (address) => {
    assert.isTrue(isPublicAddress(address))
  })

  it.each(["", "localhost", "example.com", "127.1", "0x7f000001", "1.2.3.4.5", "[::1]"])(
    "What is not an address in its plain spelling, such as %j, is not public",
    (text) => {
      assert.isFalse(isPublicAddress(text))
    }
  )
})

describe("checkUrl", () => {
  it.each([
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://0x7f000001/",
    "https://0x7f.0.0.1/",
    "https://0177.0.0.1/",
    "https://017700000001/",
    "https://127.0.0.1./",
    "https://%31%32%37.0.0.1/",
    "https://①②⑦.⓪.⓪.①/",
    "https://１２７。０。０。１/",
    "https://127\u{ad}.0.0.1/",
    "https:\\\\127.0.0.1\\",
    "https:127.0.0.1",
    " https://127.0.0.1/",
    "https://12\t7.0.0.1/",
    "https://0/",
    "https://localhost/",
    "https://LOCALHOST./",
    "https://ⓛocalhost/",
    "https://inner.localhost/",
    "https://10.0.0.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://0xa9fea9fe/",
    "https://[::1]/",
    "https://[::]/",
    "https://[0:0:0:0:0:0:0:1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://[::ffff:7f00:1]/",
    "https://[::ffff:8.8.8.8]/",
    "https://[64:ff9b::7f00:1]/",
    "https://[64:ff9b::10.0.0.1]/",
    "https://[2002:7f00:1::]/",
    "https://[fd00::1]/",
    "https://[fe80::1]/",
    "https://255.255.255.255/"
  ])("A URL that spells an address which is not public is refused: %j", (url) => {
    assert.strictEqual(refusal(url), "The URL does not lead to a public address")
  })

  it.each([
    "http://example.com/",
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://example.com/",
    "data:text/html,hello",
    "javascript:alert(1)",
    "blob:https://example.com/1",
    "unix:///var/run/docker.sock",
    "ws://example.com/",
    "httpsx://example.com/",
    "//example.com/",
    "example.com",
    "https://",
    "https://exa mple.com/",
    "https://1.2.3.4.5/",
    "https://[::1/",
    "https://[fe80::1%25eth0]/",
    ""
  ])("A URL that is not https, or none at all, is refused: %j", (url) => {
    assert.match(refusal(url) ?? "", /^The URL (has to begin with https:\/\/|can't be read)$/)
  })

  it.each(["https://user@example.com/", "https://:secret@example.com/", "https://example.com:443@10.0.0.1/"])(
    "A URL with a user name or password is refused: %j",
    (url) => {
      assert.strictEqual(refusal(url), "The URL must not have a user name or password")
    }
  )

  it.each([
    "https://example.com:22/",
    "https://example.com:80/",
    "https://example.com:5432/",
    "https://example.com:0/"
  ])("A URL with another port than its scheme's is refused: %j", (url) => {
    assert.strictEqual(refusal(url), "The URL must not name a port")
  })

  it("A URL of more than 8,000 characters is refused", () => {
    assert.include(refusal(`https://example.com/${"a".repeat(8000)}`), "longer than 8000")
  })

  it.each(["https://example.com/", "https://example.com:443/", "https://8.8.8.8/", "https://[2606:4700::1111]/a?b#c"])(
    "A URL of a public host is accepted: %j",
    (url) => {
      assert.isUndefined(refusal(url))
    }
  )

  it("http and other ports are accepted only where the policy says so", () => {
    assert.isUndefined(refusal("http://example.com/", { ...strict, http: true }))
    assert.isUndefined(refusal("https://example.com:8443/", { ...strict, anyPort: true }))
    assert.isDefined(refusal("http://example.com:443/", { ...strict, http: true }))
    assert.isDefined(refusal("https://10.0.0.1:8443/", { ...strict, anyPort: true }))
  })

  it("Where the policy accepts this machine it accepts no other private address, and no other port elsewhere", () => {
    const sandbox = { ...strict, loopback: true }
    assert.isUndefined(refusal("http://127.0.0.1:3000/", sandbox))
    assert.isUndefined(refusal("http://[::1]:3000/", sandbox))
    assert.isUndefined(refusal("http://localhost:3000/", sandbox))
    assert.isDefined(refusal("http://10.0.0.1:3000/", sandbox))
    assert.isDefined(refusal("http://[::ffff:127.0.0.1]:3000/", sandbox))
    assert.isDefined(refusal("http://example.com/", sandbox))
    assert.isDefined(refusal("https://example.com:3000/", sandbox))
    assert.isDefined(refusal("http://user@127.0.0.1/", sandbox))
  })
})
