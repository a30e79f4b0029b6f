import { Effect, Ref, Schema } from "effect"
import { SqlSchema } from "effect/sql"
import { ClaimClient } from "../postgres/database.ts"
import { hasBegun, inIndexOrder } from "../postgres/indexes.ts"
import { claimChosen, ClaimRequest, type Given, givenTo, isOwnerGone, selectClaimed } from "./claimChosen.ts"
import { ClaimKeys, type UndecodedRow } from "./claimRow.ts"

/**
 * With this many free slots on every host, no choice is needed. At 100 posts a second, a claim ahead has ten targets.
 */
const fewTargets = 16

const hasSlots = ({ hosts, limit, perHost, platforms }: Given): boolean =>
  [limit, perHost, ...Object.values(platforms), ...Object.values(hosts)].every((free) => free >= fewTargets)

const FoundRow = Schema.StructWithRest(
  Schema.Struct({
    isAll: Schema.Boolean,
    targetId: Schema.NullOr(ClaimKeys.fields.targetId),
    token: Schema.NullOr(ClaimKeys.fields.token)
  }),
  [Schema.Record(Schema.String, Schema.Unknown)]
)

/** Claims few due targets that have a free slot each, because setting up the fair claim takes longer. */
export const makeClaimFew = Effect.gen(function* () {
  const sql = yield* ClaimClient
  const inOrder = sql.literal(inIndexOrder)
  /** True if the latest claim had many targets, so that the next one is fair immediately. */
  const hasMany = yield* Ref.make(false)

  const find = SqlSchema.findAll({
    Request: ClaimRequest,
    Result: FoundRow,
    execute: (request) => sql`
      WITH ${givenTo(sql, request)},
      oldest AS MATERIALIZED (
        SELECT id, integration_id, due_at, begun_at, ${sql.literal(hasBegun)} AS has_begun FROM post_targets ${inOrder}
        WHERE status = 'pending' AND due_at <= (SELECT due_until FROM given) ORDER BY due_at LIMIT ${sql.literal(String(fewTargets + 1))}
      ),
      -- True if these are all that is due and no process has left a claim behind.
      whole AS MATERIALIZED (
        SELECT (SELECT count(*) FROM oldest) <= ${sql.literal(String(fewTargets))} AND NOT EXISTS (
          SELECT FROM post_targets t ${inOrder} WHERE t.status = 'publishing'
            AND (t.lease_until <= (SELECT now FROM given) OR ${isOwnerGone(sql)})) AS "isAll"
      ),
      -- For each account with none in flight: the thread that began first, or else the earliest target.
      chosen AS MATERIALIZED (
        SELECT DISTINCT ON (integration_id) id, NULL::uuid AS abandoned_token FROM oldest
        WHERE (SELECT "isAll" FROM whole) AND NOT EXISTS (
          SELECT FROM post_targets busy WHERE busy.integration_id = oldest.integration_id AND busy.status = 'publishing')
        ORDER BY integration_id, has_begun DESC, CASE WHEN has_begun THEN begun_at END NULLS FIRST, due_at, id
      ),
      ${claimChosen(sql)}
      SELECT * FROM whole LEFT JOIN (${selectClaimed(sql)}) c ON true`
  })

  const claim = Effect.fnUntraced(function* (given: Given) {
    if (given.lost.length > 0 || Object.keys(given.abandoned).length > 0 || !hasSlots(given)) return undefined
    if (yield* Ref.get(hasMany)) return undefined
    const rows = yield* find(given)
    if (!rows.every(({ isAll }) => isAll)) return undefined
    return rows.flatMap(({ targetId, token, ...row }): ReadonlyArray<typeof UndecodedRow.Type> =>
      targetId === null || token === null ? [] : [{ ...row, targetId, token }]
    )
  })

  const learn = (taken: number) => Ref.set(hasMany, taken > fewTargets)

  return { claim, learn }
})
