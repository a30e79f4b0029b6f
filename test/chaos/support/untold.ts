import { Effect, type Redacted, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { platformName } from "../../../src/domain/plain/platforms.ts"
import { LivePlatform } from "../../../src/domain/platform.ts"
import { query } from "./storedTargets.ts"

const Told = Schema.Struct({
  content: Schema.String,
  platform: LivePlatform,
  username: Schema.String,
  /** The notifications about the post. */
  messages: Schema.Array(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Schema.Array(Told))

/** Unknown outcomes without a notification that names the account, its platform and the text. */
export const findUntold = (url: Redacted.Redacted) =>
  query(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`
        SELECT p.content, t.platform, i.username, ARRAY(
          SELECT message FROM notifications n WHERE n.workspace_id = t.workspace_id AND n.type = 'post.failed'
            AND n.metadata ->> 'post_id' = t.post_id::text) AS messages
        FROM post_targets t JOIN posts p ON p.workspace_id = t.workspace_id AND p.id = t.post_id
          JOIN integrations i ON i.id = t.integration_id
        WHERE t.status = 'failed' AND t.error_code = 'outcome_unknown'`
      return (yield* decode(rows)).flatMap(({ content, messages, platform, username }) => {
        const isTold = messages.some((message) =>
          [content, username, platformName(platform)].every((part) => message.includes(part))
        )
        return isTold ? [] : [`untold: ${platform}: ${content} of ${username}: ${JSON.stringify(messages)}`]
      })
    })
  )
