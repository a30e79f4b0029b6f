#!/bin/sh
# Bluesky's own library finds links in a text (RichText.detectFacets). Expected: it links addresses as people read them.
# It takes two of three full stops into the link, links no name with a hyphen unless it has a scheme, and no address
# right behind Japanese text. Exits with 1 if that changes.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @atproto/api@0.21.0
cat >run.mjs <<'JS'
import { RichText } from "@atproto/api"
import { readFileSync } from "node:fs"
import assert from "node:assert/strict"

const { version } = JSON.parse(readFileSync("node_modules/@atproto/api/package.json", "utf8"))
const linksIn = (text) => {
  const rich = new RichText({ text })
  rich.detectFacetsWithoutResolution()
  return (rich.facets ?? []).flatMap(({ features }) => features.flatMap(({ uri }) => uri ?? []))
}
const cases = {
  "Read https://example.com.": ["https://example.com"],
  "Read https://example.com...": ["https://example.com.."],
  "Read example.com": ["https://example.com"],
  "Drink coca-cola.com": [],
  "詳細は https://example.com": ["https://example.com"],
  "詳細はhttps://example.com": []
}
console.log(`@atproto/api ${version}, RichText.detectFacetsWithoutResolution`)
for (const [text, expected] of Object.entries(cases)) {
  const links = linksIn(text)
  console.log(JSON.stringify(text), "->", JSON.stringify(links))
  assert.deepEqual(links, expected)
}
JS
node run.mjs
