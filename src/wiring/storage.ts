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
import { databaseLayer } from "../repo/postgres/database.ts"
import { migrate, Migrated } from "../repo/postgres/migrations.ts"
import { DatabaseSettings, type MissingSettings, missingSettings } from "../repo/postgres/settings.ts"
import { rateLimitsLayer } from "../repo/rateLimit/store.ts"
import { SendsMail } from "../repo/notifications/SendsMail.ts"
import { Repo } from "../repo/Repo.ts"
import { makeDataDirectory } from "./dataDirectory.ts"
import { encryptionKeys } from "./encryptionKeys.ts"
import { rulesLayer } from "./rules.ts"

/** The innermost message is the cause; the others are the context. */
const rootMessage = (error: { readonly message: string; readonly cause?: unknown }): string =>
  error.cause instanceof Error ? rootMessage(error.cause) : error.message

/** Undefined if the sessions have all settings that the service relies on. */
const settingsAdvice = (missing: MissingSettings, isPooler: boolean, user: string): string | undefined => {
  const { firesTriggers, isDurable, ofSession } = missing
  if (!firesTriggers) {
    return `session_replication_role is 'replica', so triggers and foreign keys of the tables are ignored; as a superuser: ALTER ROLE ${user} SET session_replication_role = 'origin';`
  }
  if (ofSession.length === 0) return undefined
  if (!isPooler) return "a pooler drops what a connection sets; set DATABASE_DIRECT_URL to PostgreSQL itself"
  const risk = isDurable ? "" : " A commit would not survive a crash or a failover, and posts would go out twice."
  const statements = ofSession.map((setting) => `ALTER ROLE ${user} SET ${setting};`).join(" ")
  return `the role needs settings, because a pooler drops those of a connection.${risk} Run: ${statements}`
}

/** A pooler may refuse settings instead of dropping them. */
const explain = (message: string): string =>
  message.includes("unsupported startup parameter")
    ? `${message}; if this is a pooler such as PgBouncer, set DATABASE_DIRECT_URL to PostgreSQL itself`
    : message

const migratedDatabaseLayer = (config: Configuration) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const configured = Option.getOrUndefined(config.databaseUrl)
      const direct = Option.getOrUndefined(config.databaseDirectUrl)
      const variable = configured === undefined ? "DATA_DIR" : "DATABASE_URL"
      const open = Effect.gen(function* () {
        const url = configured ?? (yield* embeddedPostgres({ dataDir: config.dataDir })).url
        const context = yield* Layer.build(databaseLayer(url, direct))
        const missing = yield* Effect.provideContext(missingSettings, context)
        const advice = settingsAdvice(missing, direct !== undefined, new URL(Redacted.value(url)).username)
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
        Layer.merge(DatabaseSettings.layer),
        Layer.merge(Layer.effect(Migrated, Migrated)),
        Layer.provide(CredentialCipher.layer(keys)),
        Layer.provide(Layer.succeed(SendsMail, Option.isSome(config.mail))),
        Layer.provide(migratedDatabaseLayer(config))
      )
    })
  ).pipe(Layer.provide([NodeCrypto.layer, NodeFileSystem.layer, rulesLayer(config)]))
