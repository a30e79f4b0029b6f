#!/bin/sh
# A PDS (Bluesky's server) checks record keys for slurs. Expected: a valid TID, which is a time in base 32, is always
# accepted as a key. About one TID in a million contains such a word, and the PDS refuses its record with
# "Unacceptable slur in record key". A client that makes its own keys has to take another. Exits with 1 if that changes.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @atproto/pds@0.5.35
cat >run.mjs <<'JS'
import assert from "node:assert/strict"
import { readFileSync } from "node:fs"

const pds = new URL("node_modules/@atproto/pds/", import.meta.url)
const { version } = JSON.parse(readFileSync(new URL("package.json", pds), "utf8"))
const { hasExplicitSlur } = await import(new URL("dist/handle/explicit-slurs.js", pds).href)
const prepare = readFileSync(new URL("dist/repo/prepare.js", pds), "utf8")
const digits = "234567abcdefghijklmnopqrstuvwxyz"
const tid = (micros, clock) => {
  let bits = (micros << 10n) | clock
  let key = ""
  for (let at = 0; at < 13; at++, bits >>= 5n) key = digits[Number(bits & 31n)] + key
  return key
}
const isTid = (key) => /^[234567abcdefghij][234567a-z]{12}$/.test(key)

// The TIDs of 1 January 2026 and later, in fixed steps, that have one of the words.
const from = BigInt(Date.UTC(2026, 0, 1)) * 1000n
const words = ["noqqer", "naqqlet", "n4gqer"]
const keys = Array.from({ length: 1000 }, (_, at) => tid(from + BigInt(at) * 31_000_000_001n, BigInt(at % 1024)))
const refusedAsDrawn = keys.filter((key) => hasExplicitSlur(key)).length
const withWord = keys.map((key, at) => key.slice(0, 4) + words[at % 3] + key.slice(4 + words[at % 3].length))
const refused = withWord.filter((key) => isTid(key) && hasExplicitSlur(key)).length
console.log(`@atproto/pds ${version}: of ${keys.length} TIDs, ${refusedAsDrawn} are refused as record keys; with one of`)
console.log(`${words.join(", ")} among the digits they are still valid TIDs, and ${refused} are refused`)
assert.equal(refused, keys.length)
const example = "3n222noqqer22"
console.log(`${example}: valid TID ${isTid(example)}, refused ${hasExplicitSlur(example)}`)
assert.ok(isTid(example) && hasExplicitSlur(example))
assert.match(prepare, /hasExplicitSlur\(opts\.rkey\)/)
assert.match(prepare, /Unacceptable slur in record key/)
JS
node run.mjs
