import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import path from "node:path"
import sharp from "sharp"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import type { Rendition } from "../../src/domain/media/media.ts"
import { MediaReader, ReadingEnded } from "../../src/media/process/MediaReader.ts"
import { MediaStore } from "../../src/media/store/MediaStore.ts"
import { takeSteps, takingAll } from "../../src/media/steps.ts"
import { Outbound } from "../../src/outbound/Outbound.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { keyHeaders, sendJson } from "../support/http/client.ts"
import { makeWorkspace } from "../support/database/fixtures.ts"
import { makeCaller, mediaServerLayer, quota, until } from "./mediaWorld.ts"
import { animatedGif, locatedVideo, noise, phonePhoto, pixelBomb, plainJpeg, shortVideo } from "./sampleFiles.ts"
import { text, webm } from "./webmFiles.ts"

const processAll = Effect.provide(takeSteps(takingAll("Process")), Layer.mock(Outbound, {}))

interface Row {
  readonly status: string
  readonly files: ReadonlyArray<string>
  readonly renditions: Readonly<Record<string, Rendition>>
}

const rowsOf = (workspaceId: WorkspaceId) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql<Row>`SELECT status, files, renditions FROM media WHERE workspace_id = ${workspaceId}::uuid ORDER BY id`
  )

const storedHashes = (workspaceId: WorkspaceId) =>
  Effect.gen(function* () {
    const store = yield* MediaStore
    const files = yield* Stream.runCollect(store.list)
    return files.filter((file) => file.workspaceId === workspaceId).map(({ hash }) => hash)
  })

const readStored = (workspaceId: WorkspaceId, hash: string) =>
  Effect.gen(function* () {
    const store = yield* MediaStore
    return Buffer.concat(yield* Stream.runCollect(store.read(workspaceId, hash)))
  })

/** Uploads and processes a file, and returns it. */
const makeReady = Effect.fn(function* (caller: Effect.Success<ReturnType<typeof makeCaller>>, bytes: Uint8Array) {
  const created = yield* caller.upload(bytes)
  assert.strictEqual(created.status, 201, created.text)
  yield* processAll
  const { body } = yield* caller.call("GET", `/v1/media/${created.body.data.id}`)
  return body.data
})

layer(mediaServerLayer, { excludeTestServices: true })("media over HTTP", (it) => {
  it.effect("A photo becomes ready, and platforms get it turned and without the place where it was taken", () =>
    Effect.gen(function* () {
      const { call, upload, workspaceId } = yield* makeCaller()
      const photo = yield* Effect.promise(() => phonePhoto(1200, 800))
      const created = yield* upload(photo, "A harbor")
      assert.strictEqual(created.status, 201, created.text)
      const { id } = created.body.data
      assert.deepInclude(created.body.data, {
        status: "processing",
        content_type: "image/jpeg",
        size: photo.length,
        alt: "A harbor",
        type: null
      })
      assert.strictEqual(created.headers.get("location"), `https://posts.example/v1/media/${id}`)
      yield* processAll
      const ready = (yield* call("GET", `/v1/media/${id}`)).body.data
      assert.deepInclude(ready, { status: "ready", type: "image", width: 800, height: 1200, error: null })
      const [row] = yield* rowsOf(workspaceId)
      for (const platform of ["twitter", "bluesky", "thumbnail"]) {
        const made = yield* readStored(workspaceId, row?.renditions[platform]?.hash ?? "")
        const metadata = yield* Effect.promise(() => sharp(made).metadata())
        assert.isUndefined(metadata.exif)
        assert.isAbove(metadata.height, metadata.width)
      }
      assert.sameMembers(yield* storedHashes(workspaceId), [...(row?.files ?? [])])
    })
  )

  // Debian's libimage-exiftool-perl.
  it.effect.skipIf(spawnSync("exiftool", ["-ver"]).status !== 0)(
    "ExifTool finds nothing that it wrote in what platforms get of images, GIFs and videos",
    () =>
      Effect.gen(function* () {
        const caller = yield* makeCaller()
        const directory = yield* Effect.promise(() => mkdtemp(path.join(tmpdir(), "exiftool-")))
        const run = (...args: ReadonlyArray<string>) => execFileSync("exiftool", args, { encoding: "latin1" })
        const written = ["-XMP-dc:Creator=Jane", "-XMP-exif:GPSLatitude=51.5", "-EXIF:Artist=Jane", "-Comment=Jane"]
        const more = ["-EXIF:GPSLatitude=51.5", "-EXIF:GPSLatitudeRef=N", "-IPTC:By-line=Jane", "-Photoshop:URL=Jane"]
        const dated = ["-QuickTime:CreateDate=2001:02:03 04:05:06", "-UserData:GPSCoordinates=51.5, 0, 0"]
        const makers = [
          plainJpeg,
          () => noise(40, 30).png().toBuffer(),
          () => noise(40, 30).webp().toBuffer(),
          animatedGif,
          shortVideo
        ]
        for (const [index, make] of makers.entries()) {
          const file = path.join(directory, `${index}`)
          yield* Effect.promise(async () => writeFile(file, await make()))
          run("-q", "-overwrite_original", ...written, ...more, ...dated, file)
          assert.match(run("-a", "-G1", file), /Jane|51/)
          yield* makeReady(caller, yield* Effect.promise(() => readFile(file)))
          const sent = (yield* rowsOf(caller.workspaceId)).at(-1)?.renditions["twitter"]?.hash
          yield* Effect.flatMap(readStored(caller.workspaceId, sent ?? ""), (bytes) =>
            Effect.promise(() => writeFile(file, bytes))
          )
          assert.notMatch(run("-a", "-G1", "-validate", "-x", "System:all", file), /Jane|GPS|XMP|IFD|Photoshop|2001:/)
        }
        yield* Effect.promise(() => rm(directory, { recursive: true }))
      })
  )

  it.effect("What needs no change is sent as it is; a large image is made to fit each platform", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const small = yield* Effect.promise(plainJpeg)
      yield* makeReady(caller, small)
      const [first] = yield* rowsOf(caller.workspaceId)
      assert.strictEqual(first?.renditions["bluesky"]?.size, small.length)
      assert.strictEqual(first?.renditions["twitter"]?.hash, first?.renditions["bluesky"]?.hash)
      const large = yield* Effect.promise(() => noise(2400, 1800).jpeg({ quality: 100 }).toBuffer())
      assert.isAbove(large.length, 2_000_000)
      const bigger = yield* makeCaller()
      yield* makeReady(bigger, large)
      const [second] = yield* rowsOf(bigger.workspaceId)
      assert.isAtMost(second?.renditions["bluesky"]?.size ?? Infinity, 2_000_000)
      assert.isAtMost(second?.renditions["twitter"]?.size ?? Infinity, 5_000_000)
    })
  )

  it.effect("A GIF and a video have their facts, and go only where the platform takes them", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const gif = yield* makeReady(caller, yield* Effect.promise(animatedGif))
      assert.deepInclude(gif, { status: "ready", type: "gif", width: 32, height: 24, duration_ms: 400 })
      const video = yield* makeReady(caller, yield* Effect.promise(shortVideo))
      assert.deepInclude(video, { status: "ready", type: "video", width: 64, height: 48, duration_ms: 2000 })
      const [gifRow, videoRow] = yield* rowsOf(caller.workspaceId)
      assert.sameMembers(Object.keys(gifRow?.renditions ?? {}), ["thumbnail", "twitter", "bluesky"])
      assert.sameMembers(Object.keys(videoRow?.renditions ?? {}), ["twitter", "bluesky"])
    })
  )

  it.effect("A video goes to the platforms without the places that it tells, and its owner keeps it as it is", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const place = "+51.5074-000.1278/"
      const original = yield* Effect.promise(() => locatedVideo(place))
      const { id } = yield* makeReady(caller, original)
      const [row] = yield* rowsOf(caller.workspaceId)
      const { bluesky, twitter } = row?.renditions ?? {}
      assert.deepStrictEqual(bluesky, twitter)
      assert.strictEqual(bluesky?.size, original.length)
      const store = yield* MediaStore
      const sent = Buffer.concat(yield* Stream.runCollect(store.read(caller.workspaceId, bluesky?.hash ?? "")))
      assert.notInclude(sent.toString("latin1"), place)
      const { bytes } = yield* caller.download(`/v1/media/${id}/content`)
      assert.isTrue(bytes.equals(original))
    })
  )

  it.effect("A WebM recording goes to Bluesky alone, without its names, and its owner keeps it as it is", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const place = "+51.5074-000.1278/"
      const original = webm({ isLive: true, info: [text(0x4d80, place)] })
      const file = yield* makeReady(caller, original)
      assert.deepInclude(file, {
        status: "ready",
        type: "video",
        content_type: "video/webm",
        width: 64,
        height: 48,
        duration_ms: 1000
      })
      const [row] = yield* rowsOf(caller.workspaceId)
      assert.deepStrictEqual(Object.keys(row?.renditions ?? {}), ["bluesky"])
      const sent = yield* readStored(caller.workspaceId, row?.renditions["bluesky"]?.hash ?? "")
      assert.strictEqual(sent.length, original.length)
      assert.notInclude(sent.toString("latin1"), place)
      const { bytes, headers } = yield* caller.download(`/v1/media/${file.id}/content`)
      assert.strictEqual(headers.get("content-type"), "video/webm")
      assert.isTrue(bytes.equals(original))
      const others: ReadonlyArray<readonly [string, string]> = [
        ["000001ba44000400040100000303", "The file is an MPEG video; export it as MP4; "],
        ["1a45dfa38b4282886d6174726f736b61", "The file is an MKV video; export it as MP4; "]
      ]
      for (const [hex, reason] of others) {
        const refused = yield* caller.upload(Buffer.concat([Buffer.from(hex, "hex"), Buffer.alloc(100)]))
        assert.deepInclude(refused.body, { status: 400, code: "media_unsupported" })
        assert.include(refused.body.detail, reason)
      }
    })
  )

  it.effect("A JPEG whose last bytes are missing, but no pixels, is closed and sent", () =>
    Effect.gen(function* () {
      const jpeg = yield* Effect.promise(plainJpeg)
      for (const missing of [1, 2]) {
        const caller = yield* makeCaller()
        const file = yield* makeReady(caller, jpeg.subarray(0, -missing))
        assert.deepInclude(file, { status: "ready", width: 400, height: 300 })
        const [row] = yield* rowsOf(caller.workspaceId)
        const sent = yield* readStored(caller.workspaceId, row?.renditions["bluesky"]?.hash ?? "")
        assert.strictEqual(sent.subarray(-2).toString("hex"), "ffd9")
      }
    })
  )

  it.effect("Hostile and damaged files are refused with a reason, and the next file is processed", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const jpeg = yield* Effect.promise(plainJpeg)
      const png = yield* Effect.promise(() => noise(40, 30).png().toBuffer())
      const video = yield* Effect.promise(shortVideo)
      const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
      const polyglot = Buffer.concat([
        Buffer.from([0xff, 0xd8, 0xff, 0xfe, 0x00, 0x22]),
        Buffer.from("<html><script>alert(1)</script>".padEnd(32)),
        jpeg.subarray(2)
      ])
      const refusedAtOnce: ReadonlyArray<readonly [Uint8Array, string]> = [
        [Buffer.from(svg), "SVG"],
        [Buffer.from("<!doctype html><html><body>hi"), "HTML"],
        [polyglot, "both image/jpeg and HTML"],
        [Buffer.from("%PDF-1.7 and so on"), "The file is a PDF; "],
        [Buffer.from("just a text"), "not a supported picture or video"],
        [new Uint8Array(0), "empty"]
      ]
      for (const [bytes, reason] of refusedAtOnce) {
        const refused = yield* caller.upload(bytes)
        assert.deepInclude(refused.body, { status: 400, code: "media_unsupported" })
        assert.include(refused.body.detail, reason)
      }
      const lyingVideo = Buffer.from(video)
      lyingVideo.writeUInt32BE(0x7fffffff, 0)
      const failing: ReadonlyArray<readonly [Uint8Array, string]> = [
        [
          Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.from(` ${svg}`.repeat(2).replaceAll("<", "&"))]),
          "The image is damaged or cut off"
        ],
        [jpeg.subarray(0, jpeg.length / 2), "The image is damaged or cut off"],
        [jpeg.subarray(0, -10), "The image is damaged or cut off"],
        [png.subarray(0, png.length / 2), "The image is damaged or cut off"],
        [yield* Effect.promise(pixelBomb), "megapixels"],
        [lyingVideo, "the lengths of its parts"],
        [video.subarray(0, video.length - 500), "cut off"],
        [video.subarray(0, video.lastIndexOf("mdat") - 4), "cut off"]
      ]
      for (const [bytes, reason] of failing) {
        const file = yield* makeReady(caller, bytes)
        assert.strictEqual(file.status, "failed", reason)
        assert.strictEqual(file.error.code, "unreadable")
        assert.include(file.error.message, reason)
      }
      assert.strictEqual((yield* makeReady(caller, jpeg)).status, "ready")
    })
  )

  it.effect("A file whose reading the system ends is read again half a minute later, three times in all", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* makeCaller()
      const jpeg = yield* Effect.promise(plainJpeg)
      const ended = Effect.fail(
        new ReadingEnded({ message: "The file could not be read: the system ended the reading" })
      )
      const endAll = Effect.provideService(processAll, MediaReader, MediaReader.of({ read: () => ended }))
      const waitFor = (id: string) =>
        sql`UPDATE media SET next_at = created_at WHERE id = ${id}::uuid AND next_at > now() + interval '20 seconds'`
      const { id } = (yield* caller.upload(jpeg)).body.data
      const find = Effect.map(caller.call("GET", `/v1/media/${id}`), ({ body }) => body.data)
      yield* endAll
      assert.strictEqual((yield* find).status, "processing")
      yield* waitFor(id)
      yield* processAll
      assert.strictEqual((yield* find).status, "ready")
      yield* sql`UPDATE media SET status = 'processing', attempts = 0, next_at = created_at WHERE id = ${id}::uuid`
      for (let attempt = 1; attempt < 3; attempt++) {
        yield* endAll
        assert.strictEqual((yield* find).status, "processing")
        yield* waitFor(id)
      }
      yield* endAll
      assert.deepStrictEqual((yield* find).error, {
        code: "unreadable",
        message: "The file could not be read: the system ended the reading"
      })
    })
  )

  it.effect("Contents are served whole and in ranges, with headers that keep browsers from running them", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const bytes = yield* Effect.promise(plainJpeg)
      const { id } = yield* makeReady(caller, bytes)
      const path = `/v1/media/${id}/content`
      const whole = yield* caller.download(path)
      assert.deepStrictEqual([whole.status, whole.bytes.equals(bytes)], [200, true])
      assert.strictEqual(whole.headers.get("content-type"), "image/jpeg")
      assert.strictEqual(whole.headers.get("x-content-type-options"), "nosniff")
      assert.strictEqual(whole.headers.get("cross-origin-resource-policy"), "same-origin")
      assert.include(whole.headers.get("content-security-policy"), "sandbox")
      const part = yield* caller.download(path, { range: "bytes=10-19" })
      assert.deepStrictEqual([part.status, part.bytes.equals(bytes.subarray(10, 20))], [206, true])
      assert.strictEqual(part.headers.get("content-range"), `bytes 10-19/${bytes.length}`)
      const end = yield* caller.download(path, { range: "bytes=-5" })
      assert.isTrue(end.bytes.equals(bytes.subarray(-5)))
      const outside = yield* caller.download(path, { range: `bytes=${bytes.length}-` })
      assert.deepStrictEqual([outside.status, outside.headers.get("content-range")], [416, `bytes */${bytes.length}`])
      const etag = whole.headers.get("etag") ?? ""
      const known = yield* caller.download(path, { "if-none-match": etag })
      assert.deepStrictEqual([known.status, known.headers.get("etag"), known.bytes.length], [304, etag, 0])
      assert.strictEqual((yield* caller.download(path, { range: "bytes=10-19", "if-range": etag })).status, 206)
      assert.strictEqual((yield* caller.download(path, { range: "bytes=10-19", "if-range": '"other"' })).status, 200)
      for (const { headers } of [whole, part, known]) assert.strictEqual(headers.get("accept-ranges"), "bytes")
      const thumbnail = yield* caller.download(`/v1/media/${id}/thumbnail`)
      assert.strictEqual(thumbnail.headers.get("content-type"), "image/webp")
      assert.include(thumbnail.headers.get("cache-control"), "immutable")
      const stranger = yield* makeCaller()
      assert.strictEqual((yield* stranger.download(path)).status, 404)
    })
  )

  it.effect("Files are listed by pages, get another alternative text, and are deleted with their bytes", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller()
      const jpeg = yield* Effect.promise(plainJpeg)
      const { id: older } = yield* makeReady(caller, jpeg)
      const { id: newer } = yield* makeReady(caller, jpeg)
      const first = (yield* caller.call("GET", "/v1/media?limit=1")).body
      const second = (yield* caller.call("GET", `/v1/media?limit=1&cursor=${first.next_cursor}`)).body
      assert.deepStrictEqual([first.data[0].id, second.data[0].id, second.next_cursor], [newer, older, null])
      const changed = yield* caller.call("PATCH", `/v1/media/${older}`, { alt: "Other words" })
      assert.strictEqual(changed.body.data.alt, "Other words")
      assert.strictEqual((yield* caller.call("DELETE", `/v1/media/${older}`)).status, 200)
      assert.isNotEmpty(yield* storedHashes(caller.workspaceId))
      assert.strictEqual((yield* caller.call("DELETE", `/v1/media/${newer}`)).status, 200)
      assert.deepStrictEqual(yield* storedHashes(caller.workspaceId), [])
      assert.strictEqual((yield* caller.call("GET", `/v1/media/${newer}`)).status, 404)
    })
  )

  it.effect(
    "A key that requires approval changes and deletes only files that it, or one that it replaces, uploaded",
    () =>
      Effect.gen(function* () {
        const { apiKeys } = yield* Repo
        const jpeg = yield* Effect.promise(plainJpeg)
        const team = yield* makeCaller()
        const agent = yield* makeCaller(team.workspaceId, { requiresApproval: true })
        const others = yield* team.upload(jpeg, "A harbor")
        const path = `/v1/media/${others.body.data.id}`
        for (const refused of [yield* agent.call("PATCH", path, { alt: "Mine" }), yield* agent.call("DELETE", path)]) {
          assert.deepStrictEqual([refused.status, refused.body.code], [403, "not_own_media"])
        }
        assert.strictEqual((yield* team.call("GET", path)).body.data.alt, "A harbor")
        const own = yield* agent.upload(jpeg)
        const ownPath = `/v1/media/${own.body.data.id}`
        assert.strictEqual((yield* agent.call("PATCH", ownPath, { alt: "Mine" })).status, 200)
        const { key } = yield* apiKeys.rotate(agent.keyId, Duration.hours(1))
        const deleted = yield* sendJson(`${agent.url}${ownPath}`, "DELETE", keyHeaders(Redacted.value(key)))
        assert.strictEqual(deleted.status, 200)
        assert.strictEqual((yield* team.call("DELETE", path)).status, 200)
      })
  )

  it.effect("A file that a draft has is not deleted", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* makeCaller()
      const { id } = yield* makeReady(caller, yield* Effect.promise(plainJpeg))
      const draft = yield* caller.call("POST", "/v1/posts", { content: "Hi", platforms: ["twitter"] })
      yield* sql`INSERT INTO post_media (workspace_id, post_id, media_id, position)
        VALUES (${caller.workspaceId}::uuid, ${draft.body.id}::uuid, ${id}::uuid, 0)`
      const refused = yield* caller.call("DELETE", `/v1/media/${id}`)
      assert.deepInclude(refused.body, { status: 400, code: "invalid_state" })
      assert.isNull((yield* caller.call("GET", `/v1/media/${id}`)).body.data.expires_at)
      yield* caller.call("DELETE", `/v1/posts/${draft.body.id}`)
      assert.strictEqual((yield* caller.call("DELETE", `/v1/media/${id}`)).status, 200)
    })
  )

  it.effect("An upload that is cut off leaves neither a row nor bytes, and frees its reservation", () =>
    Effect.gen(function* () {
      const { headers, url, workspaceId } = yield* makeCaller()
      const { hostname, port } = new URL(url)
      const socket = connect(Number(port), hostname)
      const head = [
        "POST /v1/media HTTP/1.1",
        "Host: posts.example",
        `Authorization: ${headers.authorization}`,
        "Content-Type: multipart/form-data; boundary=b",
        `Content-Length: ${quota}`,
        "",
        '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n'
      ].join("\r\n")
      const jpeg = yield* Effect.promise(() => noise(1500, 1500).jpeg({ quality: 100 }).toBuffer())
      socket.write(head)
      socket.write(jpeg.subarray(0, 500_000))
      yield* until(rowsOf(workspaceId), (rows) => rows.length === 1)
      socket.destroy()
      yield* until(rowsOf(workspaceId), (rows) => rows.length === 0)
      assert.deepStrictEqual(yield* storedHashes(workspaceId), [])
    })
  )

  it.effect("A workspace uploads within its quota, two files at a time", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const caller = yield* makeCaller()
      const jpeg = yield* Effect.promise(plainJpeg)
      const filling = Buffer.concat([jpeg, Buffer.alloc(quota)])
      const full = yield* caller.upload(filling)
      assert.deepInclude(full.body, { status: 400, code: "media_quota" })
      assert.deepInclude((yield* caller.uploadUndeclared(filling)).body, { status: 400, code: "media_quota" })
      assert.deepStrictEqual(yield* rowsOf(caller.workspaceId), [])
      const fitting = Buffer.concat([jpeg, Buffer.alloc(quota - jpeg.length)])
      assert.strictEqual((yield* caller.uploadUndeclared(fitting)).status, 201)
      yield* sql`DELETE FROM media WHERE workspace_id = ${caller.workspaceId}::uuid`
      yield* sql`INSERT INTO media (id, workspace_id, status, size, created_at, kept_until, next_at)
        SELECT gen_random_uuid(), ${caller.workspaceId}::uuid, 'uploading', 1, now(), now(), now() + interval '1 minute'
        FROM generate_series(1, 2)`
      const third = yield* caller.upload(jpeg)
      assert.deepInclude(third.body, { status: 429, code: "rate_limited" })
      yield* sql`DELETE FROM media WHERE workspace_id = ${caller.workspaceId}::uuid`
      assert.strictEqual((yield* caller.upload(jpeg)).status, 201)
    })
  )

  it.effect("A body that is no form with one file is refused with the field that is wrong", () =>
    Effect.gen(function* () {
      const caller = yield* makeCaller(yield* makeWorkspace())
      const json = yield* caller.call("POST", "/v1/media", { file: "bytes" })
      assert.deepInclude(json.body, { status: 415, code: "unsupported_media_type" })
      const long = yield* caller.upload(yield* Effect.promise(plainJpeg), "a".repeat(10_001))
      assert.deepStrictEqual([long.status, long.body.errors[0].path], [400, ["alt"]])
      assert.deepStrictEqual(yield* rowsOf(caller.workspaceId), [])
    })
  )
})
