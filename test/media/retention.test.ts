import { assert, layer } from "@effect/vitest"
import { Context, DateTime, Deferred, Effect, Fiber, Layer, Logger, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { adminAuthority } from "../../src/domain/people/authority.ts"
import { MediaStoreFull } from "../../src/domain/errors.ts"
import { nextMediaId, UserId } from "../../src/domain/ids.ts"
import type { WorkspaceId } from "../../src/domain/ids.ts"
import { MediaLibrary } from "../../src/media/MediaLibrary.ts"
import { MediaStore } from "../../src/media/store/MediaStore.ts"
import { removeOrphans, sweepMedia } from "../../src/media/retention.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { interleave } from "../support/database/interleave.ts"
import { libraryLayer, quota } from "./mediaWorld.ts"

/** A file that is ready, with bytes of its own, and that was kept long enough. */
const makeExpired = Effect.fn(function* (workspaceId: WorkspaceId, text: string) {
  const sql = yield* SqlClient.SqlClient
  const store = yield* MediaStore
  const id = yield* nextMediaId
  const { hash } = yield* store.write(workspaceId, Stream.encodeText(Stream.make(text)))
  yield* sql`INSERT INTO media (id, workspace_id, status, type, content_type, facts, size, hash, files, created_at, kept_until)
    VALUES (${id}::uuid, ${workspaceId}::uuid, 'ready', 'image', 'image/png', '{}', 1, decode(${hash}, 'hex'),
      ARRAY[${hash}], now() - interval '8 days', now() - interval '1 day')`
  return { id, hash }
})

const isKept = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql`SELECT FROM media WHERE id = ${id}::uuid`, (rows) => rows.length === 1)
  )

/** A post with the file, in a state that is set by hand. */
const makePost = Effect.fn(function* (workspaceId: WorkspaceId, mediaId: string, set: string) {
  const sql = yield* SqlClient.SqlClient
  const { posts } = yield* Repo
  const { id } = yield* posts.create(workspaceId, plan(DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")))
  yield* sql`INSERT INTO post_media (workspace_id, post_id, media_id, position)
    VALUES (${workspaceId}::uuid, ${id}::uuid, ${mediaId}::uuid, 0)`
  yield* sql.unsafe(`UPDATE posts SET ${set} WHERE id = '${id}'`)
})

layer(Layer.merge(libraryLayer, Logger.layer([])), { excludeTestServices: true })("retention of media", (it) => {
  it.effect("Files go with their bytes once no post needs them, and stay while one does", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const unused = yield* makeExpired(workspaceId, "unused")
      const scheduled = yield* makeExpired(workspaceId, "scheduled")
      const recent = yield* makeExpired(workspaceId, "published days ago")
      const old = yield* makeExpired(workspaceId, "published long ago")
      const failed = yield* makeExpired(workspaceId, "failed a month ago")
      yield* makePost(workspaceId, scheduled.id, "tags = '{}'")
      yield* makePost(workspaceId, recent.id, "status = 'published', published_at = now() - interval '6 days'")
      yield* makePost(workspaceId, old.id, "status = 'published', published_at = now() - interval '8 days'")
      yield* makePost(workspaceId, failed.id, "status = 'failed', scheduled_at = now() - interval '30 days'")
      yield* sweepMedia
      for (const { hash, id } of [scheduled, recent, failed]) {
        assert.deepStrictEqual([yield* isKept(id), yield* store.has(workspaceId, hash)], [true, true])
      }
      for (const { hash, id } of [unused, old]) {
        assert.deepStrictEqual([yield* isKept(id), yield* store.has(workspaceId, hash)], [false, false])
      }
    })
  )

  it.effect("Bytes that another file keeps stay", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const expired = yield* makeExpired(workspaceId, "twice")
      const kept = yield* makeExpired(workspaceId, "twice")
      yield* sql`UPDATE media SET kept_until = now() + interval '1 day' WHERE id = ${kept.id}::uuid`
      yield* sweepMedia
      assert.deepStrictEqual([yield* isKept(expired.id), yield* isKept(kept.id)], [false, true])
      assert.isTrue(yield* store.has(workspaceId, kept.hash))
    })
  )

  it.effect("A store that does not answer for one file keeps no other file", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const stuck = yield* makeExpired(workspaceId, "the store does not answer for this one")
      const other = yield* makeExpired(workspaceId, "and answers for this one")
      const asked = yield* Deferred.make<void>()
      const silent = MediaStore.of({
        ...store,
        remove: (workspace, hash) =>
          hash === stuck.hash
            ? Effect.andThen(Deferred.succeed(asked, undefined), Effect.never)
            : store.remove(workspace, hash)
      })
      const today = yield* DateTime.now
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(today.epochMilliseconds)
        const sweep = yield* Effect.forkChild(Effect.provideService(sweepMedia, MediaStore, silent))
        yield* Deferred.await(asked)
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(sweep)
      }).pipe(Effect.provide(TestClock.layer()))
      assert.deepStrictEqual([yield* isKept(stuck.id), yield* isKept(other.id)], [true, false])
      yield* sweepMedia
      assert.isFalse(yield* isKept(stuck.id))
    })
  )

  it.effect("More files that posts need than one statement looks at do not keep others from being removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const workspaceId = yield* makeWorkspace()
      const needed = yield* makeExpired(workspaceId, "needed")
      yield* makePost(workspaceId, needed.id, "tags = '{}'")
      yield* sql`WITH copies AS (
          INSERT INTO media (id, workspace_id, status, type, content_type, facts, size, hash, files, created_at, kept_until)
          SELECT gen_random_uuid(), workspace_id, status, type, content_type, facts, size, hash, files, created_at,
            kept_until - interval '1 hour'
          FROM media, generate_series(1, 200) WHERE id = ${needed.id}::uuid RETURNING workspace_id, id
        )
        INSERT INTO post_media (workspace_id, post_id, media_id, position)
        SELECT copies.workspace_id, p.post_id, copies.id, row_number() OVER () FROM copies
        JOIN post_media p ON p.media_id = ${needed.id}::uuid`
      const unused = yield* makeExpired(workspaceId, "unused")
      yield* sweepMedia
      assert.deepStrictEqual([yield* isKept(needed.id), yield* isKept(unused.id)], [true, false])
      assert.lengthOf(yield* sql`SELECT FROM media WHERE workspace_id = ${workspaceId}::uuid`, 201)
    })
  )

  it.effect("An upload whose process was killed goes with the bytes that it had placed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const { hash } = yield* store.write(workspaceId, Stream.encodeText(Stream.make("placed")))
      const id = yield* nextMediaId
      yield* sql`INSERT INTO media (id, workspace_id, status, size, files, created_at, kept_until, next_at)
        VALUES (${id}::uuid, ${workspaceId}::uuid, 'uploading', 1, ARRAY[${hash}], now(), now() + interval '7 days',
          now() - interval '1 second')`
      yield* sweepMedia
      assert.deepStrictEqual([yield* isKept(id), yield* store.has(workspaceId, hash)], [false, false])
    })
  )

  it.effect("Bytes that no row keeps are removed a day after they were written", () =>
    Effect.gen(function* () {
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const { hash } = yield* store.write(workspaceId, Stream.encodeText(Stream.make("orphan")))
      yield* removeOrphans
      assert.isTrue(yield* store.has(workspaceId, hash))
      const now = yield* DateTime.now
      for (const hours of [23, 25]) {
        const writtenAt = DateTime.subtract(now, { hours })
        const aged = MediaStore.of({ ...store, list: Stream.map(store.list, (file) => ({ ...file, writtenAt })) })
        yield* Effect.provideService(removeOrphans, MediaStore, aged)
        assert.strictEqual(yield* store.has(workspaceId, hash), hours === 23)
      }
    })
  )

  it.effect("Old bytes stay that a card's picture keeps for a post that is about to be stored", () =>
    Effect.gen(function* () {
      const { storeCardPicture } = yield* MediaLibrary
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const { hash } = yield* storeCardPicture(workspaceId, new Uint8Array(1_000))
      const writtenAt = DateTime.subtract(yield* DateTime.now, { days: 3 })
      const aged = MediaStore.of({ ...store, list: Stream.map(store.list, (file) => ({ ...file, writtenAt })) })
      yield* Effect.provideService(removeOrphans, MediaStore, aged)
      assert.isTrue(yield* store.has(workspaceId, hash))
    })
  )

  it.effect("Bytes that a file begins to keep at this moment are not removed", () =>
    Effect.gen(function* () {
      const { media } = yield* Repo
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const { hash } = yield* store.write(workspaceId, Stream.encodeText(Stream.make("written again")))
      const { id } = yield* makeExpired(workspaceId, "its own")
      const address = { workspaceId, hash }
      const [, removed] = yield* interleave(
        media.keep(address, id),
        media.removeUnlessKept(address, store.remove(workspaceId, hash))
      )
      assert.isFalse(yield* removed)
      assert.isTrue(yield* store.has(workspaceId, hash))
    })
  )

  it.effect("The pictures of cards count in the quota, and a picture without room is not stored", () =>
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace()
      const { storeCardPicture, upload } = yield* MediaLibrary
      const store = yield* MediaStore
      const picture = new Uint8Array(quota - 1_000)
      const { hash } = yield* storeCardPicture(workspaceId, picture)
      yield* storeCardPicture(workspaceId, picture)
      const refused = yield* Effect.flip(storeCardPicture(workspaceId, new Uint8Array(2_000)))
      assert.strictEqual(refused._tag, "MediaQuotaExceeded")
      const files = yield* Stream.runCollect(store.list)
      const stored = files.filter((file) => file.workspaceId === workspaceId)
      assert.deepStrictEqual(
        stored.map((file) => file.hash),
        [hash]
      )
      const bytes = Stream.make(new Uint8Array(2_000))
      const other = yield* Effect.flip(
        upload(adminAuthority({ userId: UserId.make(workspaceId), workspaceId }), {
          bytes,
          declaredSize: 2_000,
          alt: Effect.succeed(null)
        })
      )
      assert.strictEqual(other._tag, "MediaQuotaExceeded")
    })
  )

  it.effect("The picture of a setting stays while its post needs it, and then leaves the post's settings", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const { storeCardPicture } = yield* MediaLibrary
      const store = yield* MediaStore
      const workspaceId = yield* makeWorkspace()
      const { hash, size } = yield* storeCardPicture(workspaceId, new Uint8Array(900))
      const url = "https://a.example/1.png"
      const thumbnail = { url, hash, content_type: "image/png", size }
      const settings = { youtube: { title: "A talk", thumbnail_url: url, thumbnail } }
      const scheduled = plan(DateTime.makeUnsafe("2100-01-01T00:00:00.000Z"))
      const { id } = yield* posts.create(workspaceId, { ...scheduled, settings })
      yield* sql`UPDATE card_pictures SET kept_until = now() - interval '1 day' WHERE hash = ${hash}`
      yield* sweepMedia
      const writtenAt = DateTime.subtract(yield* DateTime.now, { days: 3 })
      const aged = MediaStore.of({ ...store, list: Stream.map(store.list, (file) => ({ ...file, writtenAt })) })
      // Also if nothing but the post knows the picture, as after a restore.
      yield* sql`DELETE FROM card_pictures WHERE hash = ${hash}`
      yield* Effect.provideService(removeOrphans, MediaStore, aged)
      assert.isTrue(yield* store.has(workspaceId, hash))
      assert.deepStrictEqual((yield* posts.get(workspaceId, id)).platform_settings, settings)

      yield* storeCardPicture(workspaceId, new Uint8Array(900))
      yield* sql`UPDATE card_pictures SET kept_until = now() - interval '1 day' WHERE hash = ${hash}`
      yield* sql`UPDATE posts SET status = 'published', published_at = now() WHERE id = ${id}::uuid`
      yield* sweepMedia
      assert.isFalse(yield* store.has(workspaceId, hash))
      assert.deepStrictEqual((yield* posts.get(workspaceId, id)).platform_settings, {
        youtube: { title: "A talk", thumbnail_url: url }
      })
    })
  )

  it.effect("A picture of a card is not stored on a disk that has too little space left", () =>
    Effect.gen(function* () {
      const workspaceId = yield* makeWorkspace()
      const store = yield* MediaStore
      const full = MediaStore.of({ ...store, requireSpace: Effect.fail(new MediaStoreFull()) })
      const library = MediaLibrary.layer(quota).pipe(Layer.provide(Layer.succeed(MediaStore, full)))
      const { storeCardPicture } = Context.get(yield* Layer.build(Layer.fresh(library)), MediaLibrary)
      const refused = yield* Effect.flip(storeCardPicture(workspaceId, new Uint8Array(1_000)))
      assert.strictEqual(refused._tag, "MediaStoreFull")
      const files = yield* Stream.runCollect(store.list)
      assert.isFalse(files.some((file) => file.workspaceId === workspaceId))
    })
  )

  it.effect("The picture of a card goes once all of its posts have ended, and its card stays", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* MediaStore
      const { posts } = yield* Repo
      const workspaceId = yield* makeWorkspace()
      /** As the version before stores them, which counts no pictures. */
      const makeShown = Effect.fn(function* (text: string, ...states: ReadonlyArray<string>) {
        const { hash } = yield* store.write(workspaceId, Stream.encodeText(Stream.make(text)))
        const thumb = { hash, content_type: "image/png", size: text.length }
        const card = JSON.stringify({ url: "https://a.example", title: text, description: "", thumb })
        return yield* Effect.forEach(states, (set) =>
          Effect.gen(function* () {
            const { id } = yield* posts.create(workspaceId, plan(DateTime.makeUnsafe("2100-01-01T00:00:00.000Z")))
            yield* sql`UPDATE posts SET card = ${card}::jsonb WHERE id = ${id}::uuid`
            yield* sql.unsafe(`UPDATE posts SET ${set} WHERE id = '${id}'`)
            const shown = sql<{ hash: string | null; title: string }>`
              SELECT card #>> '{thumb,hash}' AS hash, card ->> 'title' AS title FROM posts WHERE id = ${id}::uuid`
            return { hash, isWhole: Effect.all({ row: shown, kept: store.has(workspaceId, hash) }) }
          })
        )
      })
      const published = "status = 'published', published_at = now() - interval '1 minute'"
      const waiting = yield* makeShown("waiting", "tags = '{}'", published)
      const failed = yield* makeShown("failed", "status = 'failed', scheduled_at = now() - interval '30 days'")
      const over = yield* makeShown("over", published, published)
      // The first one counts the pictures.
      yield* sweepMedia
      yield* sweepMedia
      for (const { hash, isWhole } of [...waiting, ...failed]) {
        const { kept, row } = yield* isWhole
        assert.deepStrictEqual([kept, row[0]?.hash], [true, hash])
      }
      for (const { isWhole } of over) {
        assert.deepStrictEqual(yield* isWhole, { kept: false, row: [{ hash: null, title: "over" }] })
      }
    })
  )
})
