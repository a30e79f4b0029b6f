import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { Console, Effect, FileSystem, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { findPostsWithoutMedia, noteMissingMedia } from "../../src/cli/missingMedia.ts"
import { PostId } from "../../src/domain/ids.ts"
import { directoryStoreLayer } from "../../src/media/store/directory.ts"
import { MediaStore } from "../../src/media/store/MediaStore.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { makeWorkspace, plan } from "../support/database/fixtures.ts"
import { storeFile } from "../support/database/mediaFixtures.ts"
import { backupsLayer } from "./backedUpDatabase.ts"

layer(Layer.merge(backupsLayer, NodeFileSystem.layer), { excludeTestServices: true })("findPostsWithoutMedia", (it) => {
  it.effect("After a restore the posts are named whose media the store lacks", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { posts } = yield* Repo
      const files = yield* FileSystem.FileSystem
      const directory = yield* files.makeTempDirectoryScoped()
      const store = directoryStoreLayer(directory)
      const workspaceId = yield* makeWorkspace()
      assert.deepStrictEqual(yield* findPostsWithoutMedia(store), [])
      const draftWith = Effect.fnUntraced(function* (hash: string) {
        const file = yield* storeFile(workspaceId)
        yield* sql`UPDATE media SET files = ${[hash]}::text[] WHERE id = ${file.id}::uuid`
        return yield* posts.create(workspaceId, { ...plan(null), media: [file] })
      })
      const { hash } = yield* Effect.flatMap(MediaStore, ({ write }) =>
        write(workspaceId, Stream.make(new Uint8Array([1])))
      ).pipe(Effect.provide(store))
      yield* draftWith(hash)
      const lost = yield* draftWith("f".repeat(64))
      assert.deepStrictEqual(yield* findPostsWithoutMedia(store), [lost.id])
      const poisoned = yield* draftWith(hash)
      yield* sql`UPDATE media SET files = '{NULL}' FROM post_media u WHERE u.media_id = media.id AND u.post_id = ${poisoned.id}::uuid`
      assert.deepStrictEqual(yield* findPostsWithoutMedia(store), [lost.id])
      assert.isNull(yield* findPostsWithoutMedia(directoryStoreLayer(`${directory}/other`)))
    })
  )

  it.effect("The note of missing media counts the posts", () =>
    Effect.gen(function* () {
      const ids = ["01a1fc17-dc2e-777d-ad63-000000000001", "01a1fc17-dc2e-777d-ad63-000000000002"].map((id) =>
        PostId.make(id)
      )
      const lines: Array<unknown> = []
      const recorded: Console.Console = { ...globalThis.console, error: (line: unknown) => void lines.push(line) }
      yield* Effect.andThen(noteMissingMedia(ids.slice(1)), noteMissingMedia(ids)).pipe(
        Effect.provideService(Console.Console, recorded)
      )
      assert.deepStrictEqual(lines, [
        `\nThe store lacks media of 1 post, which fails unless it is copied there: ${ids[1]}`,
        `\nThe store lacks media of 2 posts, which fail unless it is copied there: ${ids.join(" ")}`
      ])
    })
  )
})
