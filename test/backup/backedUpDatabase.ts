import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer, Redacted, Sink, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { gunzipSync, gzipSync } from "node:zlib"
import { Backups } from "../../src/backup/Backups.ts"
import { CredentialCipher } from "../../src/repo/integrations/CredentialCipher.ts"
import { databaseLayer } from "../../src/repo/postgres/database.ts"
import { Repo } from "../../src/repo/Repo.ts"
import { freshDatabase } from "../support/database/testDatabase.ts"

const layerUnder = (keyByte: number) =>
  Layer.unwrap(
    Effect.map(freshDatabase, (url) =>
      Layer.merge(Repo.layer, Backups.layer).pipe(
        Layer.provide(CredentialCipher.layer([Redacted.make(new Uint8Array(32).fill(keyByte))])),
        Layer.provide(NodeCrypto.layer),
        Layer.provideMerge(databaseLayer(url))
      )
    )
  )

/** Repo and Backups on a database of their own. */
export const backupsLayer = layerUnder(7)

/** As `backupsLayer`, under the encryption key of 32 such bytes; for tests that use several databases. */
export const openDatabase = (keyByte = 7) => Layer.build(layerUnder(keyByte))

/** The compressed bytes of a backup. */
export const takeBackup = Effect.gen(function* () {
  const { backup } = yield* Backups
  const chunks: Array<Uint8Array> = []
  const snapshot = yield* backup(Sink.forEach((bytes: Uint8Array) => Effect.sync(() => void chunks.push(bytes))))
  return { snapshot, bytes: new Uint8Array(Buffer.concat(chunks)) }
})

export const restoreBytes = (bytes: Uint8Array, acceptUnreadable = false) =>
  Effect.flatMap(Backups, ({ restore }) =>
    restore({ bytes: Stream.make(bytes), size: bytes.length }, { acceptUnreadable })
  )

/** The same backup with another text, whose checksum is right again. */
export const rewriteBackup = (bytes: Uint8Array, rewrite: (line: string) => string): Uint8Array => {
  const lines = gunzipSync(bytes).toString("utf8").trimEnd().split("\n").slice(0, -1).map(rewrite)
  const text = lines.map((line) => `${line}\n`).join("")
  const rows = lines.filter((line) => line.startsWith("{")).length
  const sha256 = createHash("sha256").update(text).digest("hex")
  return new Uint8Array(gzipSync(`${text}${JSON.stringify(["end", { rows, sha256 }])}\n`))
}

/** A table's rows as text, in a stable order, without some columns. */
export const rowsOf = Effect.fn("rowsOf")(function* (table: string, without: ReadonlyArray<string> = []) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly row: string }>`
    SELECT (to_jsonb(saved) - ${without}::text[])::text AS row FROM ${sql(table)} saved ORDER BY 1`
  return rows.map(({ row }) => row)
})
