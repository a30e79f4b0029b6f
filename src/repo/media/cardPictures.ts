import { DateTime, Duration, Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { MediaQuotaExceeded } from "../../domain/errors.ts"
import { WorkspaceId } from "../../domain/ids.ts"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { hasSettingPictures, inIndexOrder, partPictures, settingPictures } from "../postgres/indexes.ts"
import { makeLockWorkspace } from "../postgres/lockWorkspace.ts"
import { Timestamp } from "../postgres/rows.ts"
import { lockBytes } from "./addresses.ts"
import type { Media } from "./Media.ts"
import { Bytes, neededWhile, usedBytes } from "./rows.ts"

/** Keeps a picture for a post that is about to be stored. Cards are cached for minutes. */
const unusedRetention = Duration.hours(24)

const lookInterval = Duration.hours(1)

const Picture = Schema.Struct({ workspaceId: WorkspaceId, hash: Schema.String })

export const makeCardPictures = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockWorkspace = yield* makeLockWorkspace
  const inThread = sql.literal(partPictures("thread"))
  const inSettings = sql.literal(settingPictures("platform_settings"))

  const insert = SqlSchema.findOne({
    Request: Schema.Struct({ ...Picture.fields, size: Schema.Int, keptUntil: Timestamp }),
    Result: Schema.Struct({ used: Bytes }),
    // The statement sees the table as it was before the insert.
    execute: ({ hash, keptUntil, size, workspaceId }) => sql`
      WITH locked AS MATERIALIZED (${lockBytes(sql, workspaceId, hash)}), kept AS (
        INSERT INTO card_pictures (workspace_id, hash, size, kept_until)
        SELECT ${workspaceId}::uuid, ${hash}, ${size}::bigint, ${keptUntil}::timestamptz FROM locked
        ON CONFLICT ON CONSTRAINT card_pictures_pk
          DO UPDATE SET kept_until = greatest(card_pictures.kept_until, excluded.kept_until)
        RETURNING xmax = 0 AS added
      )
      SELECT (${usedBytes(sql, workspaceId)} + CASE WHEN kept.added THEN ${size}::bigint ELSE 0 END)::text AS used FROM kept`
  })

  const keepCardPicture: Media["keepCardPicture"] = Effect.fn("Repo.media.keepCardPicture")(
    function* (workspaceId, { hash, size }, quota) {
      const keptUntil = DateTime.addDuration(yield* DateTime.now, unusedRetention)
      yield* lockWorkspace(workspaceId)
      const { used } = yield* insert({ workspaceId, hash, size, keptUntil })
      if (used <= quota) return
      return yield* new MediaQuotaExceeded({ message: "The workspace's quota of media has no room for this picture" })
    },
    Effect.catchTag("NoSuchElementError", Effect.die),
    (effect) => withDatabaseTimeout("keeping the picture of a card")(sql.withTransaction(effect))
  )

  const countShown = SqlSchema.findAll({
    Request: Schema.Struct({
      after: Schema.NullOr(Picture.fields.workspaceId),
      afterHash: Schema.NullOr(Schema.String),
      now: Timestamp,
      limit: Schema.Int
    }),
    Result: Picture,
    // Uses the index posts_by_card_picture. Unexpected JSON must not fail the statement for all workspaces.
    execute: ({ after, afterHash, limit, now }) => sql`
      WITH shown AS MATERIALIZED (
        SELECT p.workspace_id, p.card #>> '{thumb,hash}' AS hash, p.card #> '{thumb,size}' AS size
        FROM posts p ${sql.literal(inIndexOrder)}
        WHERE p.card #>> '{thumb,hash}' IS NOT NULL AND (p.workspace_id, p.card #>> '{thumb,hash}')
          > (coalesce(${after}::uuid, '00000000-0000-0000-0000-000000000000'), coalesce(${afterHash}::text, ''))
        ORDER BY p.workspace_id, p.card #>> '{thumb,hash}' LIMIT ${limit}::int
      ), counted AS (
        INSERT INTO card_pictures (workspace_id, hash, size, kept_until)
        SELECT DISTINCT ON (workspace_id, hash) workspace_id, hash, CASE WHEN jsonb_typeof(size) = 'number'
          THEN least(greatest((size #>> '{}')::numeric, 0), ${Number.MAX_SAFE_INTEGER}::bigint)::bigint ELSE 0 END,
          ${now}::timestamptz
        FROM shown WHERE hash ~ '^[0-9a-f]{64}$' ON CONFLICT DO NOTHING
      )
      SELECT workspace_id AS "workspaceId", hash FROM shown ORDER BY shown.workspace_id, shown.hash`
  })

  const countCardPictures: Media["countCardPictures"] = Effect.fn("Repo.media.countCardPictures")(
    function* (after, limit) {
      const shown = yield* countShown({
        after: after?.workspaceId ?? null,
        afterHash: after?.hash ?? null,
        now: yield* DateTime.now,
        limit
      }).pipe(withDatabaseTimeout("counting the pictures of cards"))
      return shown.length < limit ? null : (shown.at(-1) ?? null)
    }
  )

  const findExpired = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, limit: Schema.Int, skipped: Schema.Int }),
    Result: Picture,
    execute: ({ limit, now, skipped }) => sql`
      SELECT workspace_id AS "workspaceId", hash FROM card_pictures
      WHERE kept_until < ${now}::timestamptz ORDER BY kept_until LIMIT ${limit}::int OFFSET ${skipped}::int`
  })

  const expiredCardPictures: Media["expiredCardPictures"] = Effect.fn("Repo.media.expiredCardPictures")(
    function* (limit, skipped) {
      return yield* withDatabaseTimeout("finding expired pictures of cards")(
        findExpired({ now: yield* DateTime.now, limit, skipped })
      )
    }
  )

  const forget = SqlSchema.findAll({
    Request: Schema.Struct({ ...Picture.fields, now: Timestamp, lookAt: Timestamp }),
    Result: Schema.Struct({ needed: Schema.Boolean }),
    // The picture leaves the cards and settings of ended posts, so that nothing refers to missing bytes.
    execute: ({ hash, lookAt, now, workspaceId }) => sql`
      WITH locked AS MATERIALIZED (${lockBytes(sql, workspaceId, hash)}),
      showing AS MATERIALIZED (
        SELECT p.id, coalesce(${sql.literal(neededWhile("interval '0'"))} >= ${now}::timestamptz, false) AS needed
        FROM locked CROSS JOIN LATERAL (
          SELECT * FROM posts WHERE workspace_id = ${workspaceId}::uuid AND card #>> '{thumb,hash}' = ${hash} UNION ALL
          SELECT * FROM posts WHERE workspace_id = ${workspaceId}::uuid AND thread <> '[]' AND ${inThread} ? ${hash}::text
          UNION ALL
          SELECT * FROM posts WHERE workspace_id = ${workspaceId}::uuid AND ${inSettings} ? ${hash}::text
            AND ${sql.literal(hasSettingPictures("platform_settings"))}
        ) p
      ),
      kept AS (SELECT coalesce(bool_or(needed), false) AS needed FROM showing),
      cards AS (
        UPDATE posts SET
          card = CASE WHEN card #>> '{thumb,hash}' = ${hash} THEN jsonb_set(card, '{thumb}', 'null') ELSE card END,
          thread = CASE WHEN ${inThread} ? ${hash}::text THEN (
            SELECT jsonb_agg(CASE WHEN part #>> '{card,thumb,hash}' = ${hash}
              THEN jsonb_set(part, '{card,thumb}', 'null') ELSE part END ORDER BY place)
            FROM jsonb_array_elements(thread) WITH ORDINALITY AS own(part, place)) ELSE thread END,
          platform_settings = CASE WHEN ${inSettings} ? ${hash}::text THEN (
            SELECT jsonb_object_agg(platform, CASE WHEN jsonb_typeof(own) <> 'object' THEN own ELSE (
              SELECT coalesce(jsonb_object_agg(field, value), '{}') FROM jsonb_each(own) AS fields(field, value)
              WHERE value ->> 'hash' IS DISTINCT FROM ${hash}::text) END)
            FROM jsonb_each(platform_settings) AS settings(platform, own)) ELSE platform_settings END
        FROM kept WHERE NOT kept.needed AND posts.workspace_id = ${workspaceId}::uuid AND posts.id IN (SELECT id FROM showing)
      ),
      extended AS (
        UPDATE card_pictures SET kept_until = ${lookAt}::timestamptz FROM kept
        WHERE kept.needed AND workspace_id = ${workspaceId}::uuid AND hash = ${hash}
      ),
      removed AS (
        DELETE FROM card_pictures USING kept WHERE NOT kept.needed AND workspace_id = ${workspaceId}::uuid
          AND hash = ${hash} AND kept_until < ${now}::timestamptz
      )
      SELECT needed FROM kept`
  })

  const forgetCardPicture: Media["forgetCardPicture"] = Effect.fn("Repo.media.forgetCardPicture")(function* (picture) {
    const now = yield* DateTime.now
    const rows = yield* withDatabaseTimeout("forgetting the picture of a card")(
      forget({ ...picture, now, lookAt: DateTime.addDuration(now, lookInterval) })
    )
    return rows.every(({ needed }) => !needed)
  })

  return { keepCardPicture, countCardPictures, expiredCardPictures, forgetCardPicture }
})
