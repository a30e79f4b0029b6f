#!/bin/sh
# The rate limits of a PDS (Bluesky's server) end after the second that its RateLimit-Reset names. Expected: at that
# time the account can post again, and Retry-After says the same. The reset is rounded down and Retry-After up, so that
# a client that waits for the reset alone comes up to a second too early and is refused again; both together are right.
# The reset is a Unix time, unlike in the IETF's draft, where it is a number of seconds. Exits with 1 if that changes.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @atproto/xrpc-server@0.13.2
cat >run.mjs <<'JS'
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import { MemoryRateLimiter } from "@atproto/xrpc-server"

const root = new URL("node_modules/@atproto/xrpc-server/", import.meta.url)
const { HttpRateLimiter } = await import(new URL("dist/rate-limiter-http.js", root).href)
const { version } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"))
const context = (headers) => ({
  req: {},
  res: {
    setHeader: (name, value) => headers.set(name.toLowerCase(), value),
    appendHeader: () => undefined
  }
})
// One point in five seconds, asked for at moments within a second.
let early = 0
let late = 0
const rounds = 20
for (let round = 0; round < rounds; round++) {
  const limiter = HttpRateLimiter.from([
    new MemoryRateLimiter({ keyPrefix: `round-${round}`, durationMs: 5000, points: 1, calcKey: () => "account", calcPoints: () => 1 })
  ])
  const begun = Date.now()
  await limiter.handle(context(new Map()))
  const end = begun + 5000
  const headers = new Map()
  await assert.rejects(limiter.handle(context(headers)))
  const now = Date.now()
  if (headers.get("ratelimit-reset") * 1000 < end) early += 1
  if (now + headers.get("retry-after") * 1000 >= end) late += 1
  await new Promise((resolve) => setTimeout(resolve, 77))
}
console.log(`@atproto/xrpc-server ${version}: of ${rounds} limits, RateLimit-Reset names a time before the end of ${early},`)
console.log(`and Retry-After a time not before it of ${late}`)
assert.ok(early >= rounds - 2)
assert.equal(late, rounds)
JS
node run.mjs
