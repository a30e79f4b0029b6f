#!/bin/sh
# standardwebhooks 1.1.1 (JavaScript) verifies neither a Fetch request's `headers` nor its bytes.
#
# In a handler with a Fetch Request one expects `verify(await request.text(), request.headers)` to work, since both types
# hold headers by name, and `verify` to take a Uint8Array as it takes a Buffer. Seen:
#   Headers object: "Missing required headers", which reads like an unsigned request
#   Uint8Array:     "Expected payload to be of type string or Buffer."
# `Object.fromEntries(request.headers)` with the body's text works.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund standardwebhooks@1.1.1 >/dev/null
cat >program.mjs <<'JS'
import { Webhook } from "standardwebhooks"

const webhook = new Webhook(`whsec_${Buffer.alloc(24, 1).toString("base64")}`)
const at = new Date()
const body = '{"type":"post.published"}'
const request = new Request("https://receiver.example/", {
  method: "POST",
  body,
  headers: {
    "webhook-id": "1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": webhook.sign("1", at, body)
  }
})
const plain = Object.fromEntries(request.headers)
const attempt = (verify) => {
  try {
    return `verified ${verify().type}`
  } catch (error) {
    return error.message
  }
}
const seen = [
  ["plain object, text", attempt(() => webhook.verify(body, plain))],
  ["plain object, Buffer", attempt(() => webhook.verify(Buffer.from(body), plain))],
  ["Headers, text", attempt(() => webhook.verify(body, request.headers))],
  ["plain object, Uint8Array", attempt(() => webhook.verify(new TextEncoder().encode(body), plain))]
]
for (const [what, result] of seen) console.log(`${what}: ${result}`)
const expected = ["verified post.published", "verified post.published", "Missing required headers", "Expected payload to be of type string or Buffer."]
const same = seen.every(([, result], index) => result === expected[index])
console.log(same ? "as stated" : "changed")
process.exit(same ? 0 : 1)
JS
node program.mjs
