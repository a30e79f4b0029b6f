import { DateTime, Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { readableRows } from "../readableRows.ts"
import { storable } from "../postgres/storable.ts"
import { recognizedByText } from "./deletedTargets.ts"
import { AddressLook, Claim, type Targets } from "./Targets.ts"

const { part, targetId, token } = Claim.fields

const pauses = ["1 minute", "10 minutes", "1 hour", "1 day"] as const

/** Serializes targets that recognize the same post: the second sees what the first has written. */
export const makeLockRecognized = (sql: SqlClient.SqlClient) => (platformPostId: string | null) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${platformPostId ?? ""}::text, 0))`

export const makeOrderAddress = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return SqlSchema.void({
    Request: Schema.Struct({
      targetId,
      token,
      part,
      now: Schema.String,
      /** The JSON by which a search found the post; null if it is the stored one. */
      foundBy: Schema.NullOr(Schema.String)
    }),
    execute: (ordered) => sql`
      INSERT INTO address_looks (target_id, part, prepared, sent_at, due_at)
      SELECT id, part, coalesce(${ordered.foundBy}::jsonb, prepared), coalesce(sent_at, ${ordered.now}::timestamptz),
        ${ordered.now}::timestamptz + ${pauses[0]}::interval
      FROM post_targets WHERE id = ${ordered.targetId}::uuid AND part = ${ordered.part}::int
        AND coalesce(${ordered.foundBy}::jsonb, prepared) IS NOT NULL AND ${ordered.token}::uuid IN (claim_token, send_token)
      ON CONFLICT (target_id, part) DO NOTHING`
  })
})

export const makeAddresses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockRecognized = makeLockRecognized(sql)

  const takeDue = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, limit: Schema.Int }),
    Result: Schema.Unknown,
    execute: ({ limit, now }) => sql`
      WITH ended AS (
        DELETE FROM address_looks WHERE due_at <= ${now}::timestamptz AND looks >= ${pauses.length}::int
      ), due AS MATERIALIZED (
        SELECT target_id, part FROM address_looks WHERE due_at <= ${now}::timestamptz AND looks < ${pauses.length}::int
        ORDER BY due_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
      ), taken AS (
        -- The next look is scheduled before this one runs, so that no look is lost or made twice together.
        UPDATE address_looks l SET looks = l.looks + 1,
          due_at = ${now}::timestamptz + coalesce((${[...pauses]}::interval[])[l.looks + 2], interval '1 hour')
        FROM due WHERE l.target_id = due.target_id AND l.part = due.part RETURNING l.*
      )
      SELECT t.id AS "targetId", t.workspace_id AS "workspaceId", t.post_id AS "postId", t.platform, taken.part,
        taken.prepared, taken.sent_at AS "sentAt", coalesce(t.account_id, i.account_id) AS "accountId",
        jsonb_build_object('id', i.id, 'accountId', i.account_id, 'username', i.username, 'serviceUrl', i.service_url,
          'connected', i.status = 'connected', 'version', i.updated_at::text) AS integration
      FROM taken JOIN post_targets t ON t.id = taken.target_id
      CROSS JOIN LATERAL (SELECT * FROM integrations WHERE id = t.integration_id) i`
  })

  const readTaken = readableRows(AddressLook, "A post without an address can't be read")

  const write = SqlSchema.findAll({
    Request: Schema.Struct({
      ...Struct.pick(AddressLook.fields, ["targetId", "workspaceId", "postId", "platform", "part", "accountId"]),
      id: Schema.NullOr(Schema.String),
      url: Schema.NullOr(Schema.String)
    }),
    Result: Schema.Struct({ targetId }),
    execute: ({ accountId, id, part: number, platform, postId, targetId: target, url, workspaceId }) => sql`
      WITH held AS MATERIALIZED (
        SELECT id FROM posts WHERE workspace_id = ${workspaceId}::uuid AND id = ${postId}::uuid FOR UPDATE
      )
      UPDATE post_targets t SET
        platform_post_id = CASE WHEN ${number}::int = 1 AND t.status = 'published' THEN ${id} ELSE t.platform_post_id END,
        platform_post_url = CASE WHEN ${number}::int = 1 AND t.status = 'published' THEN ${url} ELSE t.platform_post_url END,
        parts = CASE WHEN t.parts IS NOT NULL THEN jsonb_set(t.parts, ARRAY[(${number}::int - 1)::text],
          t.parts -> (${number}::int - 1) || jsonb_build_object('id', ${id}::text, 'url', ${url}::text)) END,
        part_ids = CASE WHEN t.parts IS NOT NULL AND t.platform = ANY(${recognizedByText}::text[])
            AND (t.part_ids @> ARRAY[${id}::text]) IS NOT TRUE THEN array_append(t.part_ids, ${id}) ELSE t.part_ids END
      FROM held
      WHERE t.id = ${target}::uuid AND t.post_id = held.id
        -- A part that is out stays so, whatever becomes of the thread.
        AND (t.status = 'published' OR t.part > ${number}::int)
        -- Another target may have got the post that was found.
        AND NOT EXISTS (SELECT FROM post_targets other WHERE other.platform = ${platform} AND other.account_id = ${accountId}
          AND (other.platform_post_id = ${id} OR other.part_ids @> ARRAY[${id}::text]) AND other.id <> t.id)
        AND NOT EXISTS (SELECT FROM deleted_targets WHERE platform = ${platform} AND account_id = ${accountId}
          AND platform_post_id = ${id})
      RETURNING t.id AS "targetId"`
  })

  const dueAddresses: Targets["dueAddresses"] = Effect.fn("Repo.targets.dueAddresses")((limit) =>
    DateTime.now.pipe(
      Effect.flatMap((now) => takeDue({ now, limit })),
      Effect.flatMap(readTaken),
      withDatabaseTimeout("finding addresses to ask for")
    )
  )

  const storeAddress: Targets["storeAddress"] = Effect.fn("Repo.targets.storeAddress")((
    look,
    { platformPostId, url }
  ) => {
    const id = platformPostId === null ? null : storable(platformPostId)
    return sql
      .withTransaction(
        Effect.gen(function* () {
          yield* lockRecognized(id)
          const written = yield* write({ ...look, id, url: url === null ? null : storable(url) })
          if (written.length > 0)
            yield* sql`DELETE FROM address_looks WHERE target_id = ${look.targetId}::uuid AND part = ${look.part}::int`
        })
      )
      .pipe(withDatabaseTimeout("storing an address"))
  })

  return { dueAddresses, storeAddress }
})
