import { DateTime, Effect, Schema, Struct } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { withDatabaseTimeout } from "../postgres/databaseErrors.ts"
import { Timestamp } from "../postgres/rows.ts"
import { readableRows } from "../readableRows.ts"
import { storable } from "../postgres/storable.ts"
import { claimedIntegration } from "./claimChosen.ts"
import { recognizedByText } from "./deletedTargets.ts"
import { isRecognizedAlone, makeLockRecognized } from "./recognized.ts"
import { AddressLook, Claim, type Targets } from "./Targets.ts"

const { part, postId, targetId, token, workspaceId } = Claim.fields

const pauses = ["1 minute", "10 minutes", "1 hour", "1 day"] as const

export const makeOrderAddress = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return SqlSchema.void({
    Request: Schema.Struct({
      targetId,
      workspaceId,
      postId,
      token,
      part,
      now: Schema.String,
      /** The JSON by which a search found the post; null means the stored `prepared`. */
      foundBy: Schema.NullOr(Schema.String)
    }),
    execute: (ordered) => sql`
      -- The post is locked first, as in the other transactions: the foreign key locks the target.
      WITH held AS MATERIALIZED (
        SELECT id FROM posts WHERE workspace_id = ${ordered.workspaceId}::uuid AND id = ${ordered.postId}::uuid FOR UPDATE
      )
      INSERT INTO address_looks (target_id, part, prepared, sent_at, due_at)
      SELECT t.id, t.part, coalesce(${ordered.foundBy}::jsonb, t.prepared), coalesce(t.sent_at, ${ordered.now}::timestamptz),
        ${ordered.now}::timestamptz + ${pauses[0]}::interval
      FROM held JOIN post_targets t ON t.post_id = held.id
      WHERE t.id = ${ordered.targetId}::uuid AND t.part = ${ordered.part}::int
        AND coalesce(${ordered.foundBy}::jsonb, t.prepared) IS NOT NULL AND ${ordered.token}::uuid IN (t.claim_token, t.send_token)
      ON CONFLICT (target_id, part) DO NOTHING`
  })
})

export const makeAddresses = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const lockRecognized = makeLockRecognized(sql)
  const isAlone = isRecognizedAlone(sql)

  const takeDue = SqlSchema.findAll({
    Request: Schema.Struct({ now: Timestamp, limit: Schema.Int }),
    Result: Schema.Unknown,
    execute: ({ limit, now }) => sql`
      WITH due AS MATERIALIZED (
        -- Nothing is asked while publishing is held: the access of a restored database may be renewed elsewhere.
        SELECT target_id, part, looks FROM address_looks WHERE due_at <= ${now}::timestamptz
          AND NOT EXISTS (SELECT FROM publishing_state WHERE held_since IS NOT NULL)
        ORDER BY due_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
      ), ended AS (
        DELETE FROM address_looks l USING due
        WHERE l.target_id = due.target_id AND l.part = due.part AND due.looks >= ${pauses.length}::int
      ), taken AS (
        -- The next look is scheduled before this one runs, so that no look is lost or made twice together. The row lasts for an hour
        -- after its last look.
        UPDATE address_looks l SET looks = l.looks + 1,
          due_at = ${now}::timestamptz + coalesce((${[...pauses]}::interval[])[l.looks + 2], interval '1 hour')
        FROM due WHERE l.target_id = due.target_id AND l.part = due.part AND due.looks < ${pauses.length}::int RETURNING l.*
      )
      SELECT t.id AS "targetId", t.workspace_id AS "workspaceId", t.post_id AS "postId", t.platform, taken.part,
        taken.prepared, taken.sent_at AS "sentAt", coalesce(t.account_id, i.account_id) AS "accountId",
        ${sql.literal(claimedIntegration)}
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
    execute: (look) => sql`
      WITH held AS MATERIALIZED (
        SELECT id FROM posts WHERE workspace_id = ${look.workspaceId}::uuid AND id = ${look.postId}::uuid FOR UPDATE
      )
      UPDATE post_targets t SET
        platform_post_id = CASE WHEN ${look.part}::int = 1 AND t.status = 'published'
          THEN coalesce(s."outId", t.platform_post_id) ELSE t.platform_post_id END,
        platform_post_url = CASE WHEN ${look.part}::int = 1 AND t.status = 'published'
          THEN coalesce(${look.url}, t.platform_post_url) ELSE t.platform_post_url END,
        parts = CASE WHEN t.parts IS NOT NULL THEN jsonb_set(t.parts, ARRAY[(${look.part}::int - 1)::text],
          t.parts -> (${look.part}::int - 1)
            || jsonb_strip_nulls(jsonb_build_object('id', s."outId", 'url', ${look.url}::text))) END,
        part_ids = CASE WHEN t.parts IS NOT NULL AND s."isRecognized" AND s."outId" IS NOT NULL
            AND (t.part_ids @> ARRAY[s."outId"]) IS NOT TRUE THEN array_append(t.part_ids, s."outId") ELSE t.part_ids END
      FROM held CROSS JOIN (
        SELECT ${recognizedByText.includes(look.platform)}::boolean AS "isRecognized", ${look.platform}::text AS platform,
          ${look.accountId}::text AS "accountId", ${look.id}::text AS "outId") s
      WHERE t.id = ${look.targetId}::uuid AND t.post_id = held.id
        -- A published part stays published, whatever becomes of the thread.
        AND (t.status = 'published' OR t.part > ${look.part}::int)
        -- Another target may have the post that was found, unless its id was known.
        AND (CASE WHEN t.parts IS NULL THEN t.platform_post_id ELSE t.parts -> (${look.part}::int - 1) ->> 'id' END = s."outId"
          OR ${isAlone})
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
          // If no address was found, the look is repeated.
          if (written.length > 0 && url !== null)
            yield* sql`DELETE FROM address_looks WHERE target_id = ${look.targetId}::uuid AND part = ${look.part}::int`
        })
      )
      .pipe(withDatabaseTimeout("storing an address"))
  })

  return { dueAddresses, storeAddress }
})
