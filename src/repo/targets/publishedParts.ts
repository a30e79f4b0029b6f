import type { SqlClient } from "effect/sql"
import { isoTime } from "../postgres/rows.ts"

interface OutColumns {
  readonly id: string
  readonly cid: string
  readonly url: string
  readonly now: string
}

/** No part is older than the previous part, whichever clock its time is from. */
export const withPart = (sql: SqlClient.SqlClient, { cid, id, now, url }: OutColumns) =>
  sql.literal(`coalesce(t.parts, '[]') || jsonb_build_object('id', ${id}, 'cid', ${cid}, 'url', ${url},
    'published_at', greatest(${isoTime(now)}, t.parts -> -1 ->> 'published_at'))`)

export const nextUploads = (sql: SqlClient.SqlClient) =>
  sql.literal(`CASE WHEN t.part_uploads ? (t.part + 1)::text
    THEN jsonb_build_object('_tag', 'Uploads', 'uploads', t.part_uploads -> (t.part + 1)::text) END`)
