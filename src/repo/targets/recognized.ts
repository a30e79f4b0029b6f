import type { SqlClient } from "effect/sql"
import { recognizedByText } from "./deletedTargets.ts"

/** The platforms that recognize a post by its text, as literals: only then can a kept plan use their indexes. */
export const recognizingPlatforms = recognizedByText.map((platform) => `'${platform}'`).join(", ")

/** If two targets are given or recognize the same post, the second sees what the first wrote. */
export const makeLockRecognized = (sql: SqlClient.SqlClient) => (platformPostId: string | null) =>
  sql`SELECT pg_advisory_xact_lock(hashtextextended(${platformPostId ?? ""}::text, 0))`

/** For each platform, because only a literal lets PostgreSQL use the platform's own index. */
const hasPost = (
  platform: string
) => `EXISTS (SELECT FROM post_targets other JOIN integrations i ON i.id = other.integration_id
          WHERE s.platform = '${platform}' AND other.platform = '${platform}'
            AND other.platform_post_id = s."outId"
            AND coalesce(other.account_id, i.account_id) = s."accountId" AND other.id <> t.id OFFSET 0)`

/** True if no target other than `t` has the post of row `s` (isRecognized, platform, accountId, outId). */
export const isRecognizedAlone = (sql: SqlClient.SqlClient) => sql`NOT (s."isRecognized" AND (
        -- OFFSET 0: looked up by their indexes, instead of hashed in full.
        ${sql.literal(recognizedByText.map(hasPost).join("\n        OR "))}
        OR EXISTS (SELECT FROM post_targets other WHERE other.part_ids @> ARRAY[s."outId"]
          AND other.platform = s.platform AND other.account_id = s."accountId" OFFSET 0)
        OR EXISTS (SELECT FROM deleted_targets d WHERE d.platform = s.platform
          AND d.account_id = s."accountId" AND d.platform_post_id = s."outId" OFFSET 0)))`
