import { Duration } from "effect"
import type { SqlClient } from "effect/sql"
import type { DeliveryAttempt } from "../../domain/webhooks/webhook.ts"
import { storable } from "../postgres/storable.ts"
import type { DeliveryOutcome } from "./Webhooks.ts"

/** Enough for a whole schedule of attempts, and some that were sent again. */
const maxLogged = 20

export const appendedLog = (sql: SqlClient.SqlClient) =>
  sql.literal(
    `(CASE WHEN jsonb_typeof(d.log) <> 'array' THEN '[]' WHEN jsonb_array_length(d.log) >= ${maxLogged} THEN d.log - 0
      ELSE d.log END) || jsonb_build_array(s.attempt)`
  )

export const attemptOf = ({ endedAt, result }: DeliveryOutcome): DeliveryAttempt => ({
  at: endedAt,
  status: result.status,
  duration_ms: Math.round(Duration.toMillis(result.duration)),
  error: result.error === null ? null : storable(result.error),
  response: storable(result.response)
})
