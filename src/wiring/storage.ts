import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { Backups } from "../backup/Backups.ts"
import { type Configuration, ConfigurationError } from "../config.ts"
import { embeddedPostgres } from "../embeddedPostgres/embeddedPostgres.ts"
import { Notifier } from "../notifier/Notifier.ts"
import { CredentialCipher } from "../repo/integrations/CredentialCipher.ts"
import { Indexes } from "../repo/postgres/buildIndexes.ts"
import { warnOfFewConnections } from "../repo/postgres/connectionLimits.ts"
import { databaseLayer, missingLimits } from "../repo/postgres/database.ts"
import { migrate, Migrated } from "../repo/postgres/migrations.ts"
import { rateLimitsLayer } from "../repo/rateLimit/store.ts"
import { Repo } from "../repo/Repo.ts"
import { makeDataDirectory } from "./dataDirectory.ts"
import { encryptionKeys } from "./encryptionKeys.ts"

/** The innermost message, which says what happened; the messages around it say where. */
const rootMessage = (error: { readonly message: string; readonly cause?: unknown }): string =>
  error.cause instanceof Error ? rootMessage(error.cause) : error.message

/** What to set where a pooler stands before the database and the sessions do without limits; undefined where they have them. */
const limitsAdvice = (missing: ReadonlyArray<string>, isPooler: boolean, user: string): string | undefined => {
  if (missing.length === 0) return undefined
  const statements = missing.map((limit) => `ALTER ROLE ${user} SET ${limit};`).join(" ")
  return isPooler
    ? `the role needs limits, because a pooler drops those of a connection: ${statements}`
    : "a pooler drops what a connection sets; set DATABASE_DIRECT_URL to PostgreSQL itself"
}

/** Said of a pooler that refuses what it would drop. */
const explain = (message: string): string =>
  message.includes("unsupported startup parameter")
    ? `${message}; where this is a pooler such as PgBouncer, set DATABASE_DIRECT_URL to PostgreSQL itself`
    : message

/** The configured database, or an embedded one where none is configured, with all migrations applied. */
const migratedDatabaseLayer = (config: Configuration) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const configured = Option.getOrUndefined(config.databaseUrl)
      const direct = Option.getOrUndefined(config.databaseDirectUrl)
      const variable = configured === undefined ? "DATA_DIR" : "DATABASE_URL"
      const open = Effect.gen(function* () {
        const url = configured ?? (yield* embeddedPostgres({ dataDir: config.dataDir })).url
        const context = yield* Layer.build(databaseLayer(url, direct))
        const missing = yield* Effect.provideContext(missingLimits, context)
        const advice = limitsAdvice(missing, direct !== undefined, new URL(Redacted.value(url)).username)
        if (advice !== undefined) return yield* new ConfigurationError({ message: advice })
        const migrated = yield* Effect.provideContext(migrate, context)
        yield* Effect.provideContext(warnOfFewConnections(direct !== undefined), context)
        return Context.add(context, Migrated, migrated)
      })
      return yield* Effect.mapError(
        open,
        (error) => new ConfigurationError({ message: `${variable}: ${explain(rootMessage(error))}` })
      )
    })
  )

/**
 * Everything that keeps data in the database: the repository, the notifier, the rate limits, the indexes and backups; and how
 * much was migrated.
 */
export const storageLayer = (config: Configuration) =>
  Layer.unwrap(
    Effect.gen(function* () {
      if (Option.isNone(config.databaseUrl)) yield* makeDataDirectory(config)
      const keys = yield* encryptionKeys(config)
      return Notifier.layer.pipe(
        Layer.provideMerge(Repo.layer),
        Layer.merge(rateLimitsLayer),
        Layer.merge(Indexes.layer),
        Layer.merge(Backups.layer),
        Layer.merge(Layer.effect(Migrated, Migrated)),
        Layer.provide(CredentialCipher.layer(keys)),
        Layer.provide(migratedDatabaseLayer(config))
      )
    })
  ).pipe(Layer.provide([NodeCrypto.layer, NodeFileSystem.layer]))
