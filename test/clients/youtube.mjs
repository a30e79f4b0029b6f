// Checks YouTube's stand-in by Google's own client: node test/clients/youtube.mjs
//
// The client lists, changes, uploads in one request, sets a thumbnail and deletes. It can't resume an upload: those
// requests are checked by their bytes. Its fetch sends nothing but to the stand-in. Installs the client in a temporary
// folder. Not part of the tests.
import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import path from "node:path"
import { Readable } from "node:stream"
import { promisify } from "node:util"
import { Effect, Redacted } from "effect"
import { uploadsPlaylist } from "../../src/platforms/youtube/standIn/videos.ts"
import { youtubeStandIn } from "../../src/platforms/youtube/standIn/standIn.ts"
import { Sandbox } from "../../src/sandbox/Sandbox.ts"

const version = "39.0.0"
const folder = await mkdtemp(path.join(tmpdir(), "youtube-client-"))
await writeFile(
  path.join(folder, "package.json"),
  JSON.stringify({ private: true, dependencies: { "@googleapis/youtube": version } })
)
await promisify(execFile)("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts"], { cwd: folder })
const { auth, youtube } = createRequire(path.join(folder, "package.json"))("@googleapis/youtube")

const metadata = (title, privacyStatus) => ({
  snippet: { title, description: "A description", tags: ["one", "two words"], categoryId: "22" },
  status: { privacyStatus, selfDeclaredMadeForKids: false }
})

/** Begins, asks, sends two chunks, and asks again. */
const checkResumable = async (url, accessToken, bytes) => {
  const authorization = `Bearer ${accessToken}`
  const begun = await fetch(`${url}/upload/youtube/v3/videos?uploadType=resumable&part=snippet,status`, {
    method: "POST",
    headers: {
      authorization,
      "content-type": "application/json; charset=UTF-8",
      "x-upload-content-length": String(bytes.byteLength),
      "x-upload-content-type": "video/mp4"
    },
    body: JSON.stringify(metadata("Resumed", "private"))
  })
  assert.equal(begun.status, 200)
  const session = begun.headers.get("location")
  const send = (range, body) =>
    fetch(session, { method: "PUT", headers: { authorization, "content-range": range }, body, redirect: "manual" })
  const nothing = await send(`bytes */${bytes.byteLength}`)
  assert.deepEqual([nothing.status, nothing.headers.get("range")], [308, null])
  const half = 256 * 1024
  const first = await send(`bytes 0-${half - 1}/${bytes.byteLength}`, bytes.subarray(0, half))
  assert.deepEqual([first.status, first.headers.get("range")], [308, `bytes=0-${half - 1}`])
  const last = await send(`bytes ${half}-${bytes.byteLength - 1}/${bytes.byteLength}`, bytes.subarray(half))
  assert.equal(last.status, 201)
  const { id } = await last.json()
  const again = await send(`bytes */${bytes.byteLength}`)
  assert.equal((await again.json()).id, id)
  return id
}

const check = async (url, channel, accessToken) => {
  const { origin } = new URL(url)
  const guarded = (asked, init) => {
    const { host, pathname, protocol, search } = new URL(asked)
    assert.equal(`${protocol}//${host}`, origin)
    return fetch(`${url}${pathname}${search}`, { ...init, duplex: "half" })
  }
  const client = new auth.OAuth2()
  client.setCredentials({ access_token: accessToken })
  const api = youtube({
    version: "v3",
    auth: client,
    rootUrl: `${origin}/`,
    fetchImplementation: guarded,
    retry: false
  })
  // The client's own address does not count for uploads.
  const upload = { rootUrl: `${origin}/` }

  const resumed = await checkResumable(url, accessToken, new Uint8Array(300 * 1024))
  const inserted = await api.videos.insert(
    {
      part: ["snippet", "status"],
      requestBody: metadata("In one request", "private"),
      media: { mimeType: "video/mp4", body: Readable.from([Buffer.alloc(1_000)]) }
    },
    upload
  )
  assert.equal(inserted.data.status.privacyStatus, "private")
  const { id } = inserted.data

  const channels = await api.channels.list({ part: ["snippet", "contentDetails"], mine: true })
  assert.equal(channels.data.items[0].id, channel)
  const listed = await api.playlistItems.list({
    part: ["snippet", "contentDetails", "status"],
    playlistId: uploadsPlaylist(channel),
    maxResults: 50
  })
  assert.deepEqual(
    listed.data.items.map((item) => item.contentDetails.videoId),
    [id, resumed]
  )

  const picture = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64"
  )
  await api.thumbnails.set({ videoId: id, media: { mimeType: "image/png", body: Readable.from([picture]) } }, upload)

  const changed = await api.videos.update({
    part: ["snippet", "status"],
    requestBody: { id, ...metadata("Changed", "public") }
  })
  assert.deepEqual([changed.data.snippet.title, changed.data.status.privacyStatus], ["Changed", "public"])
  const read = await api.videos.list({ part: ["snippet", "status"], id: [id] })
  assert.deepEqual(read.data.items[0].snippet.tags, ["one", "two words"])
  await assert.rejects(
    api.videos.update({ part: ["snippet", "status"], requestBody: { id, ...metadata("a < b", "public") } }),
    ({ response }) => response.status === 400 && response.data.error.errors[0].reason === "invalidTitle"
  )

  await api.videos.delete({ id })
  await assert.rejects(api.videos.delete({ id }), ({ response }) => response.status === 404)
}

const sandboxLayer = Sandbox.layer({ configured: { youtube: { standIn: youtubeStandIn } } })
const checked = Effect.gen(function* () {
  const sandbox = yield* Sandbox
  const { accountId, credentials } = yield* sandbox.connect("youtube", "team")
  const { accessToken } = JSON.parse(Redacted.value(credentials))
  yield* Effect.promise(() => check(`${sandbox.apiUrls.youtube}/google`, accountId, accessToken))
}).pipe(Effect.provide(sandboxLayer))
try {
  await Effect.runPromise(checked)
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.stdout.write(`Google's client ${version} and the stand-in agree\n`)
