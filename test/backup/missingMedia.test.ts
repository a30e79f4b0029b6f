import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { findPostsWithoutMedia } from "../../src/cli/missingMedia.ts"
import { directoryStoreLayer } from "../../src/media/directory.ts"
import { MediaStore } from "../../src/media/MediaStore.ts"
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
      assert.isNull(yield* findPostsWithoutMedia(directoryStoreLayer(`${directory}/other`)))
    })
  )
})
